// Given names and surnames that are common where English and German are written: a capital letter
// tells a name from a noun or from the start of a sentence in neither of the two for certain.
// All in lower case and without accents.

/** Given names. */
export const givenNames: ReadonlySet<string> = new Set(
  `
aaron abby abdul abdullah abel abena abigail abiodun abraham achim ada adaeze adam adebayo adele
adelheid adeline adina adrian adriana adriano adwoa aenne agata agathe agnes agneta agnieszka
ahmad ahmed ahmet aidan aiden aiko aileen aino aisha aitana ajay akash akio akira akosua aksel
aladin alan alastair alba alban albert alberto albrecht aldo alec alejandra alejandro aleksandar
aleksander aleksandra alena alessa alessandra alessandro alessia alex alexa alexander alexandra
alexandre alexei alexis aleyna alfie alfonso alfred algernon alhassan ali alice alicia alida
alim alina alisha alison aliya aliyah alma alois alonso alrun alva alvaro alvin alwin alwine ama
amadeus amadou amal amalia amanda amara amber amelia amelie amely amin amina aminata amir amira
amit amos amy ana anabel anais anastasia anastasija anders andi andoni andra andre andrea
andreas andrei andrej andres andrew andrzej ane anela anette angela angelica angelika angelina
angelique angelo angharad angus anica anika anil anina aniol anita anja anjali anke ankit
ann-kathrin anna anna-lena anna-maria annabel annabell annabelle annalena annamaria anne
anne-marie annegret annegrete anneke annelie annelies anneliese annelise annett annette anni
annie annika annina annkathrin anselm ansgar anthea anthony antje antoine anton antonella
antonia antonie antonio anuj anya aoi aoife aparna apolline apollonia arabella aram aras arash
archibald archie arda arian ariana ariane arianna ariel arif arik aris arjun arlo armand armando
armin arnau arnd arne arnim arno arnold arnulf arthur artur arturo arvid arvind aryan asger
asher ashley ashok ashwin asif asma assia asta astor astrid asya athena atilla atsushi aubrey
audrey august augusta aurel aurelia aurelie aurelien aurora austin ava axel axelle ayaan ayan
aybike ayesha ayla aylin ayodele ayse ayten ayumi aziz azra babajide babak balthasar baptiste
baran barbara baris barnaby barry bart bartosz bashir basil bastian bastien bea beat beate
beatrice beatrix beatriz beau becky behzad beke bekir bektas belinda bella ben ben-luca benedict
benedikt bengt benita benjamin bennet bennett benno benny benoit bente berenice beril berk
berkay berke bernadett bernadette bernadine bernard bernardo bernd bernhard bernice bernt bert
berta berthold bertie bertram beryl beth bethan bethany bettina bettine betty betul beverly
bianca bilal bilge bill billy birger birgit birgitta birgitte birk birsen birte bjarne bjorn
blair blake blanca bo bob bobby bodo bogdan bongani bonnie boris bosse boubacar bradley brandon
brenda brendan brent brett brian bridget brigid brigitte brit britt britta bronwyn brooke bruce
bruna bruni bruno bryan bryony burak burcu burkhard busra cacilia cacilie caitlin caleb callum
calum calvin cameron camila camilla camille camilo canan capucine caren carina carine carl carla
carlo carlos carlotta carme carmen caro carol carola carolin carolina caroline carolyn carsten
carys caspar casper catalina catarina caterina catherine cathleen cathrin cathy catrin cecile
cecilia cecily cedric celeste celia celina celine cem cengiz cerys ceyda ceylan chad chandra
chantal charles charlie charlotta charlotte chelsea chen chester chiamaka chiara chidera chidi
chidinma chinonso chloe chris christa christel christian christiane christin christina christine
christl christoph christophe christopher chukwu cihan cilli cillian cilly cindy claas claire
clara clara-marie clarence clarissa claude claudia claudio claus clemence clemens clement
clementine cleo clifford clive cody colette colin colm connor conor constance constantin
constanze consuelo cora cordelia cordula corentin corina corinna corinne cormac cornelia
cornelius cosima cosimo coskun craig cristian cristiano cristina curtis cynthia cyril cyrus daan
dafydd dagmar dagny dagobert daichi daisy dale damaris damian damien damon dan dana daniel
daniela daniele danielle danika danilo dankmar danny daphne darcey darcy dario darius dariusch
dariusz darja darren dave david davide davood davor dawid dawit dawn dean debbie deborah declan
deepak deepika deirdre delia deliah delilah delphine demet demian denis denise deniz dennis
derek derya desiree desmond detlef detlev devon diana diane didier diego dieter diether dietlind
dietlinde dietmar dietrich dilan dilara dilek dimitri dimitris dina dirk divya djamila djordje
dmitri dmitry dogan dolores dominic dominik dominika dominique don donald donatella donatus
donna dora dorcas doreen dorian dorina doris dorit dorle dorota dorothea dorothee dorothy dorte
doug douglas duarte duncan dunja dustin dwayne dylan eamon ebba ebbe eberhard ebru eckart
eckehard eckhard eckhart edda eddie edeltraud edeltraut edgar edie edin edith editha edmund edna
edoardo edouard edson eduard eduardo edward edwin edwina efe efua egbert egmont egon ehrhard
eike eileen eilidh einar eira eirik ekaterina ekow ekrem ela elaine eleanor elena eleni eleonora
elfi elfie elfriede eli elia elian elias elif elijah elin elina elisa elisabeth elisabetha elise
eliza elizabeth elke ella ellen elli ellie ellinor elliot elliott ellis elmar elmira elodie
eloise elsa elsbeth elsie elspeth elvan elvira elvis elwood emanuel emanuele embla emeka emelie
emely emil emilia emilian emiliano emilie emilio emily emin emine emir emma emma-marie emmanuel
emmanuelle emmeline emmerich emmi emmy emre ender engelbert engin enid enise enno enoch enrico
enrique enzo ephraim erdal erdem erdogan eren erhard eric erica erich erik erika erin erkan
erlend erna ernest ernst erol ersin erwin esi esin eske esme esmeralda esmond espen esperanza
esra esteban estelle ester esther ethan ethel etienne etta euan eugen eugene eugenia eulalia eun
eunice eva eva-britt eva-maria evan evangeline evelin evelina evelyn evi evren ewa ewald ezekiel
ezra fabian fabienne fabio fabiola fabrice fabrizio fadi fadil faisal faith falk falko fanny
farah farhad farid farida farina farouk fatih fatima fatma fatme fatou fay federica federico fee
felicia felicitas felicity felina felipe felix femke fenja fenna ferdi ferdinand fergus ferhat
feride fern fernanda fernando ferran fethi fides fiete fikret filip filippo filiz fin finja
finlay finley finn finn-luca finnja fiona fiorella firat fjodor flavia flavio flemming fletcher
flora florence florentina florentine florian florin floris florrie folake folkert frances
francesca francesco francis francisca francisco francois frank frank-walter franka frankie franz
franzi franziska fraser frauke fred freddie frederic frederick frederik frederike freimut freya
frida fridolin frieda friedel frieder friederike friedhelm friedo friedrich friedrike frithjof
fritz fritzi frode frowin funmilayo fynn gabi gabor gabriel gabriela gabriele gabriella gael
galina gamal ganesh gareth gary gaspard gaurav gavin gebhard geeta gemma gene genevieve geoffrey
georg george georgia georgina georgios gerald gerard gerd gerda gerhard gerhild gerlind gerlinde
gero gerold gerolf gerrit gert gerta gertraud gertraude gertrud gesa gesche gesine gethin
giacomo giancarlo gianluca gianni gideon gilbert giles gina ginevra giorgio giovanna giovanni
gisela gitta gitte giulia giuliana giulio giuseppe gladys glen glenn gloria glynis gokhan
goncalo gonzalo goran gordon gosta gottfried gotthard gottlieb gotz grace graeme graham grant
greg gregor gregory greta gretchen grete grit gritt guadalupe gudrun guenter guenther guido
guilherme guillaume guillermo guinevere gul guler gulnara gulsen gulsum gunda gundel gundi
gundula gunhild gunilla gunnar gunnhild gunter gunther gustav gustavo gustel guy gwen gwendolyn
gwyn gwyneth habib hadi hagen hajo hakan hal halil halvor hamed hamid hamish hamza hanka hanna
hannah hanne hannelore hannes hanni hanno hans hans-dieter hans-georg hans-joachim hans-jurgen
hans-peter hans-werner harald hardy hari harper harriet harro harry hartmut hartwig haru haruka
haruki harumi haruto harvey hasan hassan hasso hatice hattie hatun hauke hayden hayley hayo
hazel heather hector hedda hedi hedwig heide heide-marie heidelinde heidemarie heidi heidrun
heike heiko heimo heinar heiner heinke heino heinrich heintje heinz heitor helen helena helene
helga helgard helge helia hella hellmut hellmuth helma helmar helmut helmuth hendrik hendrike
henner hennes henning henny henri henriette henrik henrike henry henryk herbert herma herman
hermann hermann-josef hermine herta hertha herwig hester hetty hilal hilary hilda hildburg hilde
hildegard hilke hilmar hiltrud hinnerk hinrich hiro hiroko hiroshi hiroto hitomi hjalmar holger
holly holm hope horst horst-dieter hortense howard hubert hubertus hugh hugo humberto humphrey
huseyin hussein hyun iain ian ibo ibrahim ida ifan ifeanyi ifeoma ignacio ignaz igor ihsan ikram
ilaria ilhan iliana ilir ilja ilka ilkay ilknur ilona ilonka ilsabe ilse ilya imad imani imelda
imke imma immanuel immo imogen imran ina ines inga inge ingeborg ingelore inger ingmar ingo
ingolf ingomar ingrid ingunn ingvar inigo inka inken insa ioana iona ira irena irene irfan irina
iris irma irmela irmgard irmi irmtraud isa isaac isabeau isabel isabela isabell isabella
isabelle isadora isaiah isidor iska isla ismael ismail ismet isolde istvan itzel itziar ivan
ivana ivar ivo ivonne ivor ivy iwona izabela jacek jack jackie jackson jacky jacob jacqueline
jacques jade jaime jake jakob jakub jalal jamal james jamie jamila jan jana jane janet janette
janin janina janine janis janna janne jannes jannik jano janos janusz jaqueline jared jarek
jarle jarno jaron jasmin jasmina jasmine jason jaspar jasper javier jay jaya jean jeanette
jeanne jeff jeffrey jelena jelto jemima jemma jendrik jenna jennifer jenny jens jens-uwe
jeremias jeremie jeremy jermaine jerome jerry jesko jesper jesse jessica jessie jethro jette
jiahui jiho jil jill jim jimena jimmy jin jin-ah jing jiri jiwoo jo joachim joan joana joanna
joanne joao joaquin jobst jochen jock joe joel joerg johan johann johanna johanne johannes john
johnny jolanda jolanta jolie jolina jon jonah jonas jonathan jonna jonny jonte joon jordan jordi
jorg jorge joris jorn jorunn joscha joschka jose josef josefa josefine joseph josepha josephine
josh joshua josie josip joss jost jovan joy joyce jozef juan juana juanita juanjo jude judith
judy juergen jul jula jule julia julian juliana juliane julie julien juliet julietta juliette
julika julio julius jun juna june jung junko juno jurek jurgen jurij justin justine justus jutta
kaan kabir kader kadir kaethe kai kaisa kaitlyn kaito kaja kalle kamal kamala kamil kamila karen
kari karim karin karina karita karl karl-heinz karla karlheinz karlo karol karola karolina
karoline karsten karthik kaspar kasper katarina katarzyna kate katerina katharina katherine
kathi kathleen kathrin kathryn kathy kati katia katie katinka katja katrin kavita kay kaya kayla
kayode kazuki keanu keiko keira keith kelly kelvin kemal ken kenan kendra kenji kenneth kenny
keno kenta kerem kerim kersten kerstin ketil kevin khadija khaled khalid kian kiara kieran
kilian kim kimberly kira kirill kirsi kirsten kirstin kirsty kjell kjersti klaas klara klaus
klaus-dieter klaus-peter klemens knud knut kofi kojo kolja konrad konstantin konstantina
konstanze korbinian kordula korinna krista kristian kristin kristina kristof kristoffer krystyna
krzysztof kumiko kunal kunibert kunigunde kuno kurt kwabena kwame kwasi kyle kylie kyra lacey
lachlan ladislaus laia lakshmi lale laleh lamar lambert landolf lara larissa larry lars lasse
laszlo latif latoya laura lauren laurence laurent laurenz laurids laurin lavinia layla lea leah
leander leandro leanne lee leena leif leila lena lenard lene leni lenja lenka lennard lennart
lennox lenny lenora lenz leo leon leona leonard leonardo leonhard leonid leonidas leonie leonor
leonora leopold lerato leroy lesley leslie leticia lev levi levin levke lewin lewis li lia liam
lian liana lida lidia lieke liesa liesbeth liesel lieselotte liesl lila lili lilian liliana
lilith lilli lillian lilly lily lin lina linda linde lindiwe linnea lino linus lioba lion lionel
lior lisa lisa-marie lisanne lisbeth lise liselotte lissy liv livia liz lizzie logan lois lola
loni lora lore loreen lorena lorenz lorenzo loretta lori loris lorna lothar lotta lotte lottie
lou louis louisa louise lourdes lovis lowri luan luana lubna luc luca lucas lucia lucian luciana
luciano lucie lucille lucinda lucy ludger ludmila ludo ludovic ludovica ludwig luigi luis luisa
luise luitgard luka lukas lukasz luke luna lutz luz luzie lwazi lydia lyle lynn maarit maarten
mabel maddie madeleine madge madison mads mae mael maelle maeve magda magdalena magne magnus
mahmoud mahmud mahmut mahsa mai maia maija maik maike maira mairi maisie maja malcolm maleen
malek malena malik malin malina malte malu mandy manfred manish manja manon manu manuel manuela
mara marc marcel marcela marcella marcello marcelo marcia marcin marco marcos marcus marei
mareike marek maren marga margaret margareta margarete margarethe margarida margarita margaux
margery margit margita margot margret margrit marguerite maria mariah mariam marian mariana
marianne maribel marie marie-louise marie-luise mariella marietta marigold marija marik marika
marilyn marina marinus mario marion maris marisa marisol marissa marit marita marius mariusz
marjorie mark marko markus marla marleen marlen marlena marlene marlies marlis marlon marnie
marta marte martha martin martina marty marvin mary maryam maryse masako matea mateo mateusz
mathias mathieu mathilda mathilde mathis matias matilda matilde mats matteo mattes matthaus
matthew matthias matthieu matthis mattis maud maureen maurice mauricio mauritz mauro mavis max
maxi maxim maxime maximilian maximiliane maxine maya mechthild mechtild meera megan mehdi mehmet
mei mei-ling meik meike meinald meinhard meinolf meinrad melanie melek melih melike melina
melinda melisa melissa melvin meral mercedes meredith merle merlin mert merve mervyn meryem
mette mia micha michael michaela michaele michal michel michele michelle michiko midori miguel
mihai mika mikael mikail mike mikkel mikko mila milagros milan milana mildred milena milla
millicent milo milos mimi min-jun mina ming minh minna minnie mira mirabel mirabella miran
miranda mirco mireille miriam mirja mirjam mirka mirko miroslav misaki mischa mitchell mitja
miya mohamad mohamed mohammad mohammed mohan moira molly mona monica monika monique monserrat
morag morgan morgane moritz morten morwenna moses moussa mpho muhammad muhammed mukesh murat
muriel musa mustafa myfanwy myles myriam myrte myrtle nabil nada nadeem nadia nadin nadine nadja
nagihan naima najib nala nancy nanna naoko naomi narges nasrin nasser nastasia nastassja natalia
natalie natalija natascha natasha nathalie nathan nathanael nathaniel naveed navid navin nazan
necla ned neele neema neha neil nela nele nelia nell nelli nelly nelson nepomuk nerea nesrin
nessa neve nevena nevin ngoc ngozi nguyen nia niall niamh nicholas nick nicki niclas nico nicola
nicolai nicolas nicole nicoleta niels nigel nihal nik nika nike nikhil nikita niklas niko nikola
nikolai nikolaj nikolaos nikolas nikolaus nikoletta nils nils-peter nima nimet nina nino nisa
nisha nkechi noah noel noelia noelle noemi nomvula noor nora norbert noreen nori norma norman
nour noura nuno nuray nuri nuria nurten obi obinna octavio oda oddvar odette odile odilia odin
oke oksana oktay olaf olamide olav ole oleg oleksandr olena olga olive oliver olivia olivier
oliwia olof oluwaseun omar omer omid omolara onur oona orhan oriol orla orlando ornella orson
ortrud ortwin osagie osbert oscar oskar osman ossi oswald oswin otfried othmar otis otmar
ottilie ottmar otto ottokar owain owen oyinkan ozan ozcan ozge ozgur ozlem paavo pablo padraig
paige palesa paloma pamela paola paolo parisa parvati parvin pascal pascale patrice patricia
patrick patrik patrizia patryk patsy paul paula paulina pauline paulo pavel pawel paxton pearl
pedro peer peggy pelin penelope penny per percival percy peregrine perry pete peter petra
petronella petros phil philip philipp philippa philippe philomena phineas phoebe phyllis pia
pierre piet pieter pietro pilar pina pinar piotr pippa pirjo pirmin pius pola poldi pooja poppy
pradeep prakash pranav preeti primrose priya priyanka prudence ptolemy qasim quentin quincy
quinn quirin rabea rachel rachid radek radha radka radu rafael rafaela rafal raffael raffaela
raffaele rafi ragna ragnar raheem rahel rahul raik raimund rainer raj rajesh rajiv ralf ralph
ramazan ramesh ramiro ramon ramona rana randolf randy rania ranjit raphael raphaela raquel
rasheed rasheeda rasmus raul ravi ray raymond razia rebecca rebekka reem regina reginald regine
reidar reiner reinhard reinhardt reinhild reinhold reinold remi remo ren rena renata renate
renaud rene renee reto reuben reza rhea rhiannon rhoda rhodri rhona rhys ria ricarda ricardo
riccardo richard rick ricky rico rieke rigo riikka rike riley rin rita rob robert roberta
roberto robin rocco rocio roddy roderich roderick rodney rodrigo roger rohan rohini rohit roisin
roland rolf rolf-dieter romain roman romana romeo romina romy ron ronald ronan ronja ronnie
ronny rory rosa rosalia rosalie rosalind rosalyn rosamund rosanna rosario rose roselinde
rosemarie rosemary rosi rosie rosina rosita rosl ross roswitha rouven rowan rowena roxana
roxanne roy ruben ruby ruchi rudi rudiger rudolf rufus rui rukhsana rukmini runa rupert ruprecht
russell rut ruta ruth ryan ryo saanvi sabina sabine sabrina sacha sachiko sadie sadiq saeed
saffron safiya saga sahar sahra said saida sakura salih salim sally salma salome salomon
salvador salvatore sam samantha sami samir samira samuel sana sanaa sandeep sandra sandrine
sandro sandy sanja sanjana sanjay sanna sanne santiago santosh saoirse sara sarah sarai sarina
sascha sasha saskia satoshi saul savannah scarlett scott seamus sean sebastian sebastien sefa
selda selim selin selina selma selwyn semih semra senta seo-yeon seong serap seren serena serge
sergei sergej sergio serhat serkan seth sevda severin severine sevgi sevim seydou shabana
shabnam shane shanice shannon shanti sharon shaun shauna sheena sheila shelly shirin shirley
shona shreya shu sian sibel sibusiso sibylla sibylle sid siddharth sidonie siegbert siegfried
sieglinde siegmar siegmund siegrid siegrun siegward sigfried sigi sigmar sigmund signe sigrid
sigrun sigurd silas silja silje silke silvan silvana silvester silvia silvio simeon simon simona
simone sina sinah sinan sinead sinem siobhan sipho siri sissi sita siv sixten smilla sofia
sofiane sofie solange soledad solene solveig somchai sonia sonja sonke sonya soo-jin sophia
sophie sora sorcha soren sota spencer stacy stan stanislaus stanislaw stefan stefania stefanie
stefano steffen steffi stella sten stephan stephane stephanie stephen steve steven stewart stig
stilla stina stine stuart subhash sue suki suleiman sumit sumitra sune sunil sunita sunna
sunniva suresh susa susan susann susanna susanne suse susi suzan suzanne svantje svea svein sven
svenja svetlana svitlana swantje swen swenja sybille sydney sylke sylvester sylvia sylvie sylwia
synne tabea tabitha tadashi tadeus tadeusz tae-hyun taissia takashi takeshi takumi talea talia
tamar tamara tamas tamika tamina tamino tammo tamsin tanja tanya tara tarek tarik tariku tariq
tarja tassilo tatevik tatiana tatjana taylan ted teda tegan tendai teo terence teresa teresia
terje terrence terry tessa thabo thaddaus thaddeus thade thandiwe thanh thea theda thekla thelma
themba theo theobald theodor theodora theodore theres theresa therese theresia thiago thibault
thibaut thiemo thies thilde thilo thomas thora thoralf thorben thordis thore thorge thorleif
thorsten thu thure tiago tiffany tiina tilda till tillmann tilly tilman tilmann tilo tim timea
timm timo timon timothy timur tina tine tino tizian tjarde tjark tjorben tobi tobias toby todd
tolga tom tomas tomasz tomislav tomke tomma tommaso tommy tomoko toni tonia tonja tony tonya tor
torben torbjorn torge torsten tracy traudel traudi traudl traute travis trevor tristan trixi
trude trudi trudy trygve tuan tuana tugba tuncay tunde turgay tuva tyler tyra ubbo uchenna uda
udo ufuk ugur ulf uli ulla ulli ullrich ulrich ulrika ulrike umut undine unni urban urs ursel
ursina ursula urte uschi usha uta ute utz uwe vada val valentin valentina valentyna valeria
valerian valerie valeska vandana vanessa vanja varun vasco vaughan vegard veit velten vera
verena verity vernon veronica veronika veronique veza vicente vicky victor victoria vidar vigdis
viggo vihaan vijay vikram viktor viktoria vince vincent vincenz vincenzo vinzent vinzenz viola
violet violeta violetta virginia vitali vito vittoria vivek vivian viviane vivien vladimir
volker volkhard volkmar volodymyr vroni wade walburga walda waldemar waldtraud wale walfried
wallace walli wally walpurga walter walther waltraud waltraut wanda wanjiru warren wassim wayne
wei wen wencke wendelin wendell wendy wenke wenzel werner wesley wibke wiebke wiegand wieland
wigbert wilbur wilfred wilfried wilfriede wilhelm wilhelmina wilhelmine wilko will willa willem
willi william willibald willow willy wilma wiltrud winfried winifred winnie winona winston wito
witold wladimir wojciech wojtek wolf-dieter wolfdieter wolfgang wolfhard wolfram wren wulf
xander xaver xavier xenia xiao xiaoming ximena xin xoan yael yagmur yan yann yannic yannick
yannik yannis yara yasemin yasin yasmin yasmina yasmine yaw yejin yetunde yigit yilmaz ying
yngve yohannes yoko yolanda yolande yosef yousef youssef yuki yuko yuna yuri yuriy yusuf yuto
yves yvette yvo yvonne zac zach zacharias zachary zafer zahra zainab zanele zara zarah zayn
zehra zeki zekiye zelda zeno zenta zenzi zeynep zihan zita zoe zoey zofia zoltan zoran zsofia
zubeyde zuri zuzana
`
    .trim()
    .split(/\s+/),
)

/** Surnames, of which many are nouns too: they count behind a given name or a title. */
export const surnames: ReadonlySet<string> = new Set(
  `
abel abraham achenbach ackermann adam adams adeyemi adler ahmed aksoy albers albert albrecht
alexander ali allen altmann amann anders anderson appel arndt arnold arslan aslan auer avci avcı
aydin aydın bach bachmann bader bailey baker balzer barnes bartel bartels barth barthel bauer
baum baumann baumeister baumgart baumgartner baumgärtner baur bayer beck becker beckmann beer
behrendt behrens behringer beier bell bender bennett benz berg berger bergmann berndt bernhardt
bertram best beyer bianchi biermann binder bischof bischoff black blank block blum blume bock
bode bohm bohn bollmann born bornemann boyd brand brandl brandt brauer braun breuer brinkmann
brooks brown brunner bruns bryant brückner brüggemann buch buchholz buchner budde bulut burger
burghardt burkhardt burns busch busse butler buß bäcker bär böhm böhme böttcher bühler bürger
büttner campbell carstens carter celik cetin chen christ christiansen clark claus clausen claßen
cole coleman collins colombo conrad cook cooper cordes costa cox crawford cruz czech dahl dahm
daniel davis decker demir deppe diallo diaz diehl diekmann dietrich dietz dittrich dixon dogan
doll dorn doğan dreher drews dreyer díaz döring eberhardt ebert eckert eckhardt eder edwards
eggers ehlers eichhorn eisele ellis engel engelhardt engelmann erdmann erdogan erdoğan ernst
esposito esser evans evers falk faust feldmann fenske ferrari ferreira fichtner fiedler fink
finke fischer fisher fleischer fleischmann flores flöter ford forster foster fox frank franke
franz freeman freitag frenzel freund frey fricke friedrich fritsch fritz fritzsche frost
fröhlich fuchs fuhrmann funk funke förster gabriel garcia garcía gebauer gebhardt geiger geisler
geißler gerber gerhardt gerlach geyer gibson giese glaser goebel gomez gonzalez gonzález gordon
graf graham gramm gray greco green griffin grimm gross grote groß großmann gruber grundmann
grunwald grün gunes gupta gutmann gärtner gómez göbel götz güneş günther haag haas haase
hagedorn hagemann hagen hahn hall hamann hamilton hammann hammer hannemann hansen harms harris
harrison hartmann hartung hartwig hassan haupt hauser hawkins hayes hecht heck hein heine
heinemann heinrich heinrichs heinz heinze heise held heller hellmann hellwig hempel henderson
henke henkel hennig henning hensel hentschel herbst hermann hernandez hernández herold herrmann
herzog hess hesse heuer hicks hildebrand hildebrandt hill hiller hinz hirsch hirschmann hofer
hoff hoffmann hofmann hohmann holmes holz holzer hoppe horn howard huber hughes hummel hunt
hunter hussein huth höfer höhne hölscher hübner ivanov jackson jacob jacobs jahn jakob jans
jansen janssen janßen jenkins jensen john johnson jones jordan jost jung junge jäger jähnig kahl
kaiser kaminski kara karaca karl kaspar kaufmann kaya keil keller kelly kemper kennedy kern
kersten kessler keßler khan kiefer kilic kim king kirchner kirsch klaus klein kleine klemm klose
klug knapp knauer knecht knight knoll kober koc koch kohl kolb konrad kopp korkmaz korn kornmann
kowalczyk kowalski koç kraft krahl kramer kraus krause krauß krebs kremer kress kretschmer
krieger krug kruse krämer kröger krüger kuhlmann kuhn kumar kunz kunze kurt kurz kuznetsov
köhler köhn könig köster kühn kühne kılıç lammers lane lang lange langer lau laube lauer lechner
lee lehmann lehner leicht leitner lemke lenz leonhardt lerch lewandowski lewis li lindemann
lindenberg linder lindner link linke linz liu lohmann lohse lopez lorenz lotz lucas ludwig
luther lutz lópez löffler lücke lüdtke mack mai maier mann marino marquardt marshall martens
martin martinez martínez marx mason maurer maus may mayer mayr mcdonald meier meinhardt meister
meißner mensah menzel merkel mertens merz messner metz metzger metzner meyer michel michels
miller mitchell mohr moll moore morales morgan moritz morris moser murphy murray möller mühle
müller münch nagel nakamura naumann neubauer neumann nguyen nickel nielsen niemann nitsche noack
nolte novak nowak okafor oliveira oswald ott otte otto owens palmer pape parker patel patterson
paul pauli paulsen pereira perez perry peters petersen peterson petrov petry pfaff pfarrer
pfeifer pfeiffer pham philipp phillips pieper pietsch pilz plank pohl pohlmann polat popov popp
porter powell preuß price prinz probst pérez quast raab ramirez ramírez rapp rasch rath rau
rauch rausch reed reich reichel reichelt reichert reimann reimer reimers reinders reinhardt
reinhold reiter renner reuter reyes reynolds ricci rice richardson richter rieck riedel rieger
ritter rivera roberts robertson robinson rodriguez rodríguez roger rogers rohde rolf romano rose
rosenberg rosenthal ross rossi rost roth rothe rudolf rudolph runge rupp ruppert russell russo
röder röhrig römer sachs sahin sailer sanchez sander sanders santos sato sattler sauer sauter
schade schaefer schaller scharf schatz schauer scheffler schenk scherer schiller schilling
schindler schlegel schlüter schmid schmidt schmied schmitt schmitz schneider schnell scholz
schott schramm schreiber schreiner schröder schröter schubert schultz schultze schulz schulze
schumacher schumann schuster schwab schwabe schwartz schwarz schweizer schwenk schäfer schön
schütte schütz scott seemann seidel seifert seiler seitz shah sharma shaw siebert siegel siemens
silva simmons simon simpson singer singh smirnov smith sommer sonntag souza specht spengler
springer späth staab stadler stahl stark steffen steffens stein steinbach steiner steinke
steinmetz stephan stern stevens stewart stock stoll stolz stone straub strauß strobel stumpf
sturm sullivan suzuki sánchez süß tanaka taylor tesch thiel thiele thomas thompson tiedemann
timm torres tran trautmann treu tucker turner ulbrich ullrich ulrich unger urban vetter vogel
vogt voigt volk volkmann vollmer voss voß wagner wahl walker wallace wallner walter walther wang
ward warren washington watanabe watson webb weber wegener wegner weidner weigand weigel weinert
weinmann weis weise weiss weiß wells welsch wendt wenzel werner wessel west westermann westphal
wetzel white wiedemann wiegand wieland wiese wild wilde wilhelm wilke will williams wilson
wimmer winkelmann winkler winter wirth wisniewski witt witte wittmann wiśniewski wojcik wolf
wolff wolter wolters wood woods wright wulf wunderlich wunsch yamamoto yang yildirim yildiz
yilmaz young yıldırım yıldız zander zech zeh zeidler zeller zhang ziegler zimmer zimmermann zink
zorn çelik çetin özdemir öztürk şahin
`
    .trim()
    .split(/\s+/),
)
