// Common given names and surnames in English and German texts: in both languages a capital letter
// alone does not mark a name. All in lower case and without accents.

/** Given names. */
export const givenNames: ReadonlySet<string> = new Set(
  `
aaron aatos abby abdallah abdelkader abdelrahman abdoulaye abdul abdullah abe abeba abel abena
abigail abiodun abraham achim ada adaeze adam adamos adaora addison adebayo adel adele adelheid
adeline adesola adina aditi aditya adnan adrian adriana adriano adwoa aenne afaf afia agata
agathe agis agnes agneta agnieszka ahlam ahmad ahmed ahmet aidan aiden aiko aileen aino aisha
aitana ajay akane akash akemi akhil aki akihiro akiko akin akinyi akio akira akosua aksel alaa
aladin alan alastair alba alban albert alberto albrecht aldo alec alejandra alejandro alekos
aleksandar aleksander aleksandra aleksey alemayehu alena alessa alessandra alessandro alessia
alex alexa alexander alexandra alexandre alexei alexey alexis aleyna alf alfie alfonsina alfonso
alfred algernon alhassan ali alice alicia alida alim alina alisha alison aliya aliyah alkis alma
almaz alois alok alonso alphonse alrun alva alvaro alvin alwin alwine ama amadeus amadou amaia
amaka amal amalia amanda amandine amani amara amber ambroise amedeo amelia amelie amely amer
amin amina aminata amir amira amit ammar amos amrita amy ana anabel anais ananya anas anastasia
anastasiia anastasija anastasios anatole anders andi andoni andra andre andrea andreas andrei
andrej andres andrew andrey andriy andrzej andy ane anela anele anette angela angelica angelika
angeliki angelina angelique angelo angharad angus anh anica anika aniket anil anina aniol
anirudh anita anja anjali anjana anke ankit ankita ann-kathrin anna anna-lena anna-maria annabel
annabell annabelle annalena annamaria anne anne-marie annegret annegrete anneke annelie annelies
anneliese annelise annett annette anni annie annika annina annkathrin anoop anselm anselma
anselmo ansgar anthea anthi anthony antje antoine anton antonella antonia antonie antonio
antonis anuj anusha anwar anya aoi aoife aparna apolline apollonia apostolos arabella araceli
aram aras arash arati archana archibald archie arda areti arian ariana ariane arianna ariel arif
arik aris aristotelis arjun arlo armand armanda armando armin arnau arnd arne arnim arno arnold
arnulf artem arthur artur arturo artyom arvid arvind aryan asaf asger asha asher ashish ashlee
ashley ashok ashwin ashwini asif asma assia asta astor astrid asuka asya athanasia athena atilla
atsushi aubree aubrey audrey august augusta aurel aurelia aurelie aurelien aurora austin ava
avery avi avinash aviva axel axelle ayaan ayaka ayako ayan ayana aybike ayesha ayla aylin ayman
ayo ayodele ayse ayten ayumi azeb aziz aziza azra babajide babak badr bahar bailey balthasar bao
baptiste baran barb barbara baris barnaby barry bart bartek bartosz basel bashir basil basile
basma bastian bastien batya bea beat beata beate beatrice beatrix beatriz beau becky begona
behzad beke bekir bektas belen belinda bella ben ben-luca benedetta benedict benedikt bengt
benita benito benjamin bennet bennett benno benny benoit bente beppe berengere berenice beril
berk berkay berke bernadett bernadette bernadine bernard bernardo bernd bernhard bernice bernt
bert berta berthold bertie bertille bertram beryl bess beth bethan bethany bettina bettine betty
betul bev beverly bhavna bianca bilal bilge bill billy bina binh birger birgit birgitta birgitte
birk birsen birte bisi bjarne bjorn blair blake blanca blandine bo bo-ra boaz bob bobby bodo
bogdan bogdana bohdan bojan bojana bongani boniface bonnie boris bosse boubacar bouchra boyan
bozena brad bradley branca brandon branka branko brayden brenda brendan brent brett brian
brianna bridget brigid brigitte brit britt britta brittany bronwyn brooke bruce bruna brunella
bruni bruno bryan bryony burak burcu burkhard bushra busisiwe busra cacilia cacilie caetano
caitlin caleb callum calum calvin cam cameron camila camilla camille camilo canan capucine caren
caridad carina carine carl carla carlo carlos carlota carlotta carme carmen carmine caro carol
carola carolin carolina caroline carolyn carsten carter carys casandra caspar casper cass
catalina catarina caterina catherine cathleen cathrin cathy catrin cecile cecilia cecily cedric
celeste celestin celestino celia celina celine cem cengiz cerys cesar cesare ceyda ceylan chad
chae-won chaim chana chandra chantal chao chara charlene charles charlie charlotta charlotte
chase chau chelsea chen cheng chester chetan chiamaka chiara chidera chidi chidinma chie chieko
chika chinedu chinonso chinwe chioma chloe chris christa christel christian christiane christin
christina christine christl christoph christophe christopher christos chrysa chuck chukwu cihan
cilli cillian cilly cindy cinzia claas claire clara clara-marie clarence clarissa clarisse
claude claudia claudio claus clelia clemence clemens clement clementine cleo clifford clint
clive clothilde cody cole colette colin colm colton connor conor constance constantin constanze
consuelo cooper cora coralie cordelia cordula corentin corina corinna corinne cormac cornelia
cornelius corrado cosima cosimo coskun craig cristian cristiano cristina cristobal cuong curtis
cynthia cyprien cyril cyrus daan dafna dafni dafydd dagmar dagny dagobert daichi daiki daisuke
daisy daksha dalal dale dalia dalit damaris damaso damian damien damon dan dana dandan danica
daniel daniela daniele danielle danika danilo dankmar danny danuta dao daphne darcey darcy daren
daria dario darius dariusch dariusz darja darrell darren darya daudi dave david davide davood
davor dawid dawit dawn dean deb debbie debora deborah declan dee deepa deepak deepika deirdre
dejan delaney delia deliah delilah delphine demet demian denis denise deniz dennis deolinda
derek derya desiree desislava desmond despina desta detlef detlev devika devon diana diane
didier diego diep dieter diether dietlind dietlinde dietmar dietrich dikembe dilan dilara dilek
dimitra dimitri dimitris dimos dina dinesh dirk divya diyar djamila djordje dmitri dmitriy
dmitry dogan dolores domenico dominic dominick dominik dominika dominique don donald donatella
donato donatus dong-hyun donna dora dorcas doreen dorian dorina doris dorit dorle dorota
dorothea dorothee dorothy dorte doug douglas dov dragan dragana drew driss duarte duncan dunja
dusan dusko dustin dvora dwayne dwight dylan eamon earl ebba ebbe ebele eberhard ebru eckart
eckehard eckhard eckhart edda eddie edeltraud edeltraut edgar edie edin edith editha edmund edna
edoardo edouard edson eduard eduardo edward edwin edwina edyta eero efe efrain efrat efua egbert
egmont egon ehab ehrhard ehud eiji eike eileen eilidh einar eino eira eirik eirini eitan
ekaterina ekow ekrem ela elad elaine eleanor eleftheria eleftherios elena eleni eleonora elfi
elfie elfriede elham eli elia elian elias eliezer elif elijah elin elina elio elisa elisabeth
elisabetha elisabetta elise elisheva eliza elizabeth elke ella ellen elli ellie ellinor elliot
elliott ellis elmar elmira elodie eloise elpida elsa elsbeth elsie elspeth elvan elvira elvis
elwood emanuel emanuela emanuele embla emeka emelie emeline emely emerson emery emeterio emiko
emil emilia emilian emiliano emilie emilio emily emin emine emir emma emma-marie emmanuel
emmanuelle emmeline emmerich emmi emmy emre encarna ender engelbert engin enid enise enno enoch
enrico enrique enza enzo ephraim eran erdal erdem erdogan eren erhard eric erica erich erik
erika erin erkan erkki erlend ermanno erna ernest ernestine ernesto ernie ernst erol ersin erwin
esa eshe esi esin eske esme esmeralda esmond espen esperanza esra esteban estelle ester esther
esti ethan ethel etienne etsuko etta ettore euan eugen eugene eugenia eugenio eulalia eun eun-ji
eunice eva eva-britt eva-maria evan evangelia evangeline evangelos eveliina evelin evelina
evelyn everett evgeni evgenia evgeny evi evren ewa ewald ewelina eyob ezekiel ezra fabian
fabiana fabien fabienne fabio fabiola fabrice fabrizio fadi fadil fadwa faisal faith faiza falk
falko fanny fanta fantine farah farhad farid farida farina farouk fatih fatima fatine fatma
fatme fatou fausto fay federica federico fee fei felicia felicitas felicity felina felipe felix
femke feng fenja fenna ferdi ferdinand ferdinando fergus ferhat feride fermin fern fernanda
fernando ferran fethi fides fiete fikile fikret filip filippo filiz fin finja finlay finley finn
finn-luca finnja fiona fiorella fiorenza firat firmin fjodor flavia flavie flavio flemming
fletcher flora florence florencia florentina florentine florian florin floris florrie floyd
folake folkert fotini fotis fran frances francesca francesco francis francisca francisco
francois frank frank-walter franka frankie franz franzi franziska fraser frauke fred freddie
frederic frederick frederik frederike freimut freya frida fridolin frieda friedel frieder
friederike friedhelm friedo friedrich friedrike frithjof fritz fritzi frode frowin fulvia fumiko
funmilayo fynn gabi gabino gabor gabriel gabriela gabriele gabriella gael gaelle gaetano galina
galit galyna gamal ganesh gareth garrett gary gaspar gaspard gaurav gauri gavin gebhard geeta
gemma gene genevieve gennaro geoff geoffrey georg george georgia georgina georgios gerald gerard
gerardo gerd gerda gerhard gerhild gerlind gerlinde germaine gero gerold gerolf gerrit gert
gerta gertraud gertraude gertrud gesa gesche gesine gethin ghassan ghislaine giacinta giacomo
giada giancarlo giang gianluca gianmarco gianna gianni giannis gideon gidon gila gilbert
gilberto gilda giles gilles gina ginevra gino giordano giorgia giorgio giorgos giovanna giovanni
girish gisela gita gitta gitte giulia giuliana giulio giuseppe gladys gleb glen glenda glenn
gloria glynis gokhan goncalo gonzalo gopal goran goranka gordon gosta gottfried gotthard
gottlieb gotz grace graeme graham grant grayson graziella grazyna greg gregoire gregor gregorio
gregory greta gretchen grete grigoris grit gritt grzegorz guadalupe guang gudrun guenter
guenther gugu guido guilherme guillaume guillermo guinevere gul guler gulnara gulsen gulsum
gunda gundel gundi gundula gunhild gunilla gunnar gunnhild gunter gunther gus gustav gustavo
gustel guy gwen gwenaelle gwendolyn gwyn gwyneth habib habiba habtamu hadas hadeel hadi hadley
hae-won hafsa hagen haidar haitham haiyan hajo hakan hal hala halil halina halvor halyna hamed
hamid hamish hamza hana hanako hanan hanane hanh hank hanka hanna hannah hanne hannelore hannes
hanni hanno hannu hans hans-dieter hans-georg hans-joachim hans-jurgen hans-peter hans-werner
harald hardy hari harini harish harlan haroun harper harri harriet harro harry hartmut hartwig
haru haruka haruki harumi haruto harvey hasan hashim hassan hassiba hasso hatice hattie hatun
hauke hawa hayat hayden hayley hayo hazel heather hector hedda hedi hedwig heide heide-marie
heidelinde heidemarie heidi heidrun heike heikki heiko heimo heinar heiner heinke heino heinrich
heintje heinz heitor helen helena helene helga helgard helge heli helia hella hellmut hellmuth
helma helmar helmi helmut helmuth hema hendrik hendrike henna henner hennes henning henny henri
henriette henrik henrike henrique henry henryk herbert herma herman hermann hermann-josef
hermine herta hertha herwig hester hetty hicham hideo hien hieu hikari hila hilal hilario hilary
hilda hildburg hilde hildegard hilke hilkka hilmar hiltrud hind hinnerk hinrich hiro hiroaki
hiroki hiroko hiromi hiroshi hiroto hisashi hisham hitomi hjalmar hoa hoang holger holly holm
honoka hope horst horst-dieter hortense houda howard hristo hubert hubertus huda hugh hugo
hugues hui humberto humphrey huong huseyin hussein huy hye-jin hyun hyun-woo iain ian ibo
ibrahim ibtisam ichiro ida ifan ifeanyi ifeoma ifunanya ignacio ignaz ignazio igor ihsan iida
ikenna ikram ilan ilaria ilham ilhan iliana ilias ilir ilja ilka ilkay ilkka ilknur ilmari ilona
ilonka ilsabe ilse ilya imad iman imane imani imelda imke imma immacolata immanuel immo imogen
imran in-ho ina inaam inbal indira ines inga inge ingeborg ingelore inger ingmar ingo ingolf
ingomar ingrid ingunn ingvar inigo inka inken inkeri inmaculada insa ioana ioanna ioannis
iolanda iona ira irena irene ireti irfan irina iris irma irmela irmgard irmi irmtraud iryna isa
isaac isabeau isabel isabela isabell isabella isabelle isadora isaiah isaure isha ishaan isidor
isidro iska isla ismael ismail ismat ismet isolde issam istvan itai itamar itzel itziar iuliia
ivan ivana ivanka ivano ivar ivaylo ivo ivonne ivor ivy iwona izabela izumi jaakko jabari jace
jacek jacinto jack jackie jackson jacky jacob jacqueline jacques jade jaden jadwiga jae-hyun
jagdish jaime jake jakob jakub jalal jamal james jamie jamila jan jana jandira jane janet
janette jani janin janina janine janis janna janne jannes jannik jano janos janusz jaqueline
jared jarek jari jarkko jarle jarmo jarno jaron jaroslaw jasmin jasmina jasmine jasna jason
jaspar jasper javier jawad jaxon jay jaya jayant jayden jean jeanette jeanne jeb jed jeff
jeffrey jelani jelena jelica jelto jemima jemma jen jendrik jenna jennifer jenny jens jens-uwe
jeremiah jeremias jeremie jeremy jermaine jerome jerry jerzy jesko jesper jess jesse jessica
jessie jethro jette ji-eun ji-hoon ji-min ji-yeon jiahui jian jiang jianhua jie jiho jil jill
jim jimena jimmy jin jin-ah jin-woo jing jingyi jinhua jiri jiro jiwoo jo joachim joan joana
joanna joanne joao joaquim joaquin joaquina joasia jobst jocelyn jocelyne jochen jock jodi jodie
joe joel joelle joerg johan johann johanna johanne johannes john johnny jolanda jolanta jolie
jolina jon jonah jonas jonathan joni jonna jonny jonte joon jordan jordi jorg jorge jorgelina
joris jorn jorunn joscha joschka jose josef josefa josefina josefine joseph josepha josephine
josh joshua josiane josie josip joss jost josue jouko jouni jovan jovana joy joyce jozef juan
juana juanita juanjo jude judith judy juergen juha juhani juho jukka jul jula jule julia julian
juliana juliane julie julien julienne juliet julietta juliette julika julio julius juma jun
jun-ho juna june jung junko juno jurek jurgen jurij jussi justin justine justus justyna jutta
jyoti kaan kaarina kabir kader kadir kaethe kagiso kai kaisa kaitlyn kaito kaja kajal kalevi
kalle kalliopi kalpana kamal kamala kamau kamil kamila kamini kaori karan karanja karen kari
karim karima karin karina karita karl karl-heinz karla karlheinz karlo karol karola karolina
karoline karsten karthik kasia kaspar kasper kat katarina katarzyna kate katerina katharina
katherine kathi kathleen kathrin kathryn kathy kati katia katie katinka katja katrin kavita
kawtar kay kaya kayla kaylee kayode kazuki kazuko kazuo kazuya keanu kehinde keiko keira keisha
keith kelly kelvin kemal ken kenan kendall kendra kenichi kenji kenneth kenny keno kenta kenzie
kerem kerim kerri kersten kerstin ketil kev kevin khadija khaled khalid khalida khanh khaya khoa
khumo kian kiara kibet kieran kilian kim kimberly kimmo kinga kipchoge kira kiran kirill kirsi
kirsten kirstin kirsty kjell kjersti klaas klara klaus klaus-dieter klaus-peter klemens knud
knut kofi kohei koichi kojo kolja komal konrad konstantin konstantina konstantinos konstanze
korbinian kordula korinna kostas kota krishna krista kristen kristi kristian kristin kristina
kristof kristoffer kristy kriti krystyna krzysztof ksenia kseniya kumiko kunal kunibert
kunigunde kuno kurt kurtis kwabena kwame kwasi kyle kylie kyoko kyra kyriakos kyung-soo lacey
lachlan ladislaus laia laila lakshmi lale laleh lalit lamar lambert lambros lamia landolf lara
larissa larry lars larysa lasse laszlo lata latif latifa latoya laura laureano lauren laurence
laurent laurenz lauretta lauri laurids laurin lavinia layla lea leah leander leandro leanne lech
lee leena lefteris lei leif leila len lena lenard lene leni lenja lenka lennard lennart lennox
lenny lenora lenz leo leon leona leonard leonardo leonhard leonid leonidas leonie leonor leonora
leopold lerato leroy les lesley leslie lesya leszek leticia letizia lev levi levin levke lewin
lewis lex li lia liam lian liana lida lidia lidija lieke lien liesa liesbeth liesel lieselotte
liesl lihua lila lili lilian liliana lilith lilli lillian lilly lilou lily lin lina lincoln
linda linde lindiwe linh linnea lino linus lioba lion lionel lior liora lisa lisa-marie lisandro
lisanne lisbeth lise liselotte lissy liv livia liz lizzie ljubica logan loic lois lola loni lora
lore loredana loreen lorella lorena lorenz lorenzo loretta lori loris lorna lorraine lothar
lotta lotte lottie lou loubna louis louisa louise lourdes lovis lowri luan luana lubna luc luca
lucas lucero lucia lucian luciana luciano lucie lucienne lucille lucinda lucio lucy lucyna
ludger ludmila ludo ludovic ludovica ludwig luigi luis luisa luise luitgard luiza luka lukas
lukasz luke luna lutz luz luzie lwazi lydia lyla lyle lyn lynn lynne lyudmila maarit maarten
mabel macarena maciej mackenzie maddalena maddie madeleine madge madhav madhu madison mads mae
mael maelle maelys maeve magali magalie magda magdalena maggie magne magnus maha mahdi mahesh
mahmoud mahmud mahmut mahsa mai maia maija maik maike maira mairi maisie maja majid makayla
makena makoto maksim maksym mala malaika malak malcolm maleen malek malena malgorzata malik
malika malin malina malini malte malu mami manami mandy maneesh manfred manish manja manju
manjula manolis manolo manon mansour manu manuel manuela mara marc marcel marcela marcelino
marcella marcelle marcello marcelo marcia marcin marco marcos marcus marcy marei mareike marek
maren marga margaret margareta margarete margarethe margarida margarita margaux marge margery
margie margit margita margot margret margrit marguerite maria mariah mariam mariama marian
mariana mariangela marianne maribel maricarmen marie marie-louise marie-luise mariella marietta
marigold marija marik marika mariko marilyn marina marinus mario marion marios maris marisa
marisol marissa marit marita marius mariusz mariya marja marjatta marjorie mark markku marko
markus marla marleen marlen marlena marlene marlies marlis marlon marnie marta marte martha
martin martina marty marvin marwa marwan mary maryam maryse marzena marzia masaki masako masaru
mason massimo matea mateo mateus mateusz matheus mathias mathieu mathilda mathilde mathis matias
matilda matilde mats matt matteo mattes matthaus matthew matthias matthieu matthis matti mattis
maud maude maureen mauri maurice mauricio mauritz maurizio mauro mavis max maxi maxim maxime
maximilian maximiliane maximo maxine maya mayu mayumi mazen mbali mckenzie mechthild mechtild
meena meera meg megan megumi mehdi mehmet mei mei-ling meik meike meilin meinald meinhard
meinolf meinrad meir mel melanie melek melih melike melina melinda melisa melisande melissa
melvin menachem meral mercedes meredith meriem merle merlin mert merve mervyn meryem mette mia
micah micha michael michaela michaele michal michalina michalis michel michela michele michelle
michiko mick midori mieczyslaw miguel mihai mihail mihir miia mika mikael mikail mike mikhail
miki mikkel mikko mila milagros milan milana mildred milena milica milla millicent milo milos
milton mimi min-ji min-jun min-seo mina ming minh minna minnie minoru mira mirabel mirabella
miran miranda mirco mireille mirela mirella miriam mirja mirjam mirka mirko miroslav miroslava
misaki misato mischa missy mitch mitchell mitja mitsuko miya miyu mladen moe moez mohamad
mohamed mohammad mohammed mohan mohini moira molly momoka mona monica monika monique monserrat
montserrat monty morag mordechai morgan morgane moritz morten morwenna moses moshe mouna mounir
mourad moussa mpho muhammad muhammed mukesh munir murat muriel murilo musa mustafa mustapha
mwangi myfanwy mykhailo mykola mylene myles myriam myrte myrtle nabil nabila nada nadav nadeem
nadege nadia nadin nadine nadir nadiya nadja naftali nagihan nahla naima najat najib najwa nala
naledi nalini namrata nan nanami nancy nandi nandini nanna nao naoki naoko naomi naor naren
naresh narges nasra nasrin nasser nastasia nastassja nat natalia natalie natalija nataliya
natalya natanael natascha natasha nathalie nathan nathanael nathaniel natsuki naveed naveen
navid navin nawal nazan nazir ndidi necla ned neele neema nefeli neha neil nektarios nela nele
nelia nell nelli nelly nelson nenad nepomuk nerea nesrin nessa nestor nettie nevaeh neve nevena
nevin nga nghia ngoc ngozi nguyen nhi nhung nia niall niamh nicholas nick nicki niclas nico
nicola nicolai nicolas nicole nicoleta nicoletta nidhi niels nieves nigel nihal niharika niina
nik nika nike nikhil niki nikita nikki niklas niko nikola nikolai nikolaj nikolaos nikolas
nikolaus nikolay nikoletta nikolina nikos nilesh nils nils-peter nilza nima nimet nina ning nino
nirmala nisa nisha nitin nizar njeri nkechi nkem nnamdi noah noel noelia noelle noemi noemie
noga nolan nomsa nomvula noor noora nora norbert noreen nori noriko norma norman nour noura
nozomi nthabiseng nuno nuray nuri nuria nurit nurten nyambura oanh obi obinna obioma oceane
octavia octavio oda oddvar odette odile odilia odin oduya ofer ofra ogechi oke oksana oktay olaf
olamide olav ole oleg oleksandr olena olga olive oliver olivia olivier oliwia olli olof olu
oluwaseun olympia omar omayma ombeline omer omid omolara onni onur oona oren orhan oriana oriol
orit orla orlando orly ornella orsola orson ortrud ortwin osagie osama osbert oscar oskar osman
osnat ossi ostap osvaldo oswald oswin otavio otfried othman othmar otis otmar otso ottavia
ottavio ottilie ottmar otto ottokar oumar oussama outi owain owen oyinkan ozan ozcan ozge ozgur
ozlem paavo pablo padraig paige paisley palesa pallavi palmira paloma pam pamela panagiota
panagiotis pankaj panos paola paolo paraskevi parisa parker parvati parvin pascal pascale pasi
pat patrice patricia patrick patrik patrizia patryk patsy patti paul paula paulina pauline
paulino paulo pavel pawel paxton payal payton pearl pedrina pedro peer peggy pekka pelin
penelope peng penny pentti per percival percy peregrine perrine perry petar pete peter petra
petri petronella petros peyton phil philibert philip philipp philippa philippe phillip philomena
phineas phoebe phong phuc phuong phyllis pia pierluigi piero pierre piet pieter pietro piia
pilar pina pinar pinky piotr piotrek piper pippa pirjo pirkko pirmin pius pola poldi polina
pooja poppy portia pradeep pradip prakash pramod pranav prasad pratibha pratik predrag preethi
preeti prerna primrose priscilla priti priya priyanka prudence przemek przemyslaw ptolemy qais
qasim qiang qing quan quang quentin quincy quinn quirin quoc quyen quynh rabab rabea rachel
rachid rachida rachna radek radha radka radmila radoslav radoslaw radu rafael rafaela rafal
raffael raffaela raffaele raffaella rafi rafiq raghad raghav ragini ragna ragnar raheem rahel
rahma rahul raik raili raimo raimondo raimund raimundo rainer raj rajaa rajan rajendra rajesh
rajiv rakesh ralf ralph raman ramazan ramesh rami ramiro ramon ramona ramya ramzi rana randall
randolf randy rania ranjana ranjit ranya raphael raphaela raphaelle raquel rashad rasheed
rasheeda rashid rashmi rasmus ratko raul ravi ravindra ravit rawan ray rayan raymond razia
reagan rebecca rebekka reda reem reese reg reggie regiane regina reginald regine reidar reijo
reiko reiner reinhard reinhardt reinhild reinhold reinold rejane remi remo ren rena renata
renate renaud rene renee renuka renzo reshma reto reuben reza rhea rhiannon rhoda rhodri rhona
rhonda rhys ria ricarda ricardo riccarda riccardo richard rick ricky rico rie rieke rigo riikka
riitta rika rike riku riley rima rin rinaldo risto rita ritu ritva rivka riyad rob robert
roberta roberto robin rocco rocio roddy roderich roderick rodney rodolfo rodrigo rogelio roger
rohan rohini rohit roisin roksolana roland rolf rolf-dieter romain roman romana romeo romina
romolo romy ron ronald ronaldo ronan ronen roni ronja ronnie ronny roope rory rosa rosalba
rosalia rosalie rosalind rosalyn rosamund rosangela rosanna rosario rose roselinde roselyne
rosemarie rosemary roshni rosi rosie rosina rosita rosl ross roswitha rotem rouven rowan rowena
roxana roxanne roy roz ruba ruben ruby ruchi rudi rudiger rudo rudolf rufus ruggero rui rukhsana
rukmini runa rupa rupert ruprecht ruslan russ russell rustam rut ruta ruth ryan ryder rylee ryo
ryosuke ryota ryszard saad saanvi saara saba sabina sabine sabrina sacha sachiko sachin sadie
sadiq saeed saffron safiya saga sahar sahra said saida saif saija saki sakura sal saleh salif
salih salim salla sally salma salome salomon salvador salvatore salwa sam samantha sami samia
samih samir samira samuel samuele samuli sana sanaa sandeep sandhya sandra sandrine sandro sandy
sang-hoon sangeeta sanja sanjana sanjay sanjeev sanna sanne santeri santiago santina santosh
saoirse sapna sara sarah sarai sari sarina sarita sasa sascha sasha saskia satish satomi satoshi
saul sauli saurabh savannah saverio savvas sawsan sayaka sayuri scarlett scott seamus sean
sebastian sebastiana sebastiano sebastien seble seema sefa sekou selam selda selim selin selina
selma selwyn semih semra senait senka senta seo-jun seo-yeon seong seppo serap seren serena
serge sergei sergej sergey sergio serhat serkan seth setsuko settimio sevda severin severine
severino sevgi sevim seydou shabana shabnam shadi shai shaima shalini shan shane shanice shankar
shannon shanti sharad shari sharon shaul shaun shauna shawn shawna sheela sheena sheila shelly
sheri sheridan sherif sherri sherry shiho shikha shilpa shimon shingo shinji shiori shira shirin
shirley shiro shivani shizuka shlomo shmuel shobha shola shona shoshana shota shreya shruti shu
shubham shula shun shweta sian sibel sibusiso sibylla sibylle sid siddharth sidonie siegbert
siegfried sieglinde siegmar siegmund siegrid siegrun siegward sigfried sigi sigmar sigmund signe
sigrid sigrun sigurd siham silas silja silje silke silvan silvana silvester silvestro silvia
silvio simba simeon simon simona simone simonetta sina sinah sinan sinead sinem sini siobhan
sipho siri sirpa sissi sita siv sivan sixten sizwe skylar slavica slawomir slobodan smilla smita
sneha snezana sofia sofiane sofie sofoklis solange soledad solene solomiya solomon solveig
somchai somnath sonali sonia sonja sonke sonya soo-ah soo-jin soo-min sophia sophie sora sorcha
soren sota sotiria sotiris spencer spiros spyridon spyros srdjan srinivas stacey stacie stacy
stan stanislaus stanislav stanislaw stavros stefan stefania stefanie stefano steffen steffi
stefka stelios stella sten stephan stephane stephanie stephen steve steven stewart stig stilla
stina stine stratos stuart subhash subramanian sudha sudhir sue sufyan suha sujata suki sulaiman
suleiman suman sumiko sumit sumitra sundar sune sung-min sunil sunita sunna sunniva supriya
suresh surya susa susan susana susann susanna susanne suse sushil sushma susi suzan suzanne
svantje svea svein sven svenja svetla svetlana svitlana svyatoslav swantje swati swen swenja
sybille syd sydney sylke sylvain sylvaine sylvester sylvia sylvie sylwia synne szymon tabea
tabitha tadashi tadej tadeu tadeus tadeusz tae-hyun tafari taha taichi taiga taina taissia
takashi takeshi takumi talal talea tali talia tamar tamara tamas tamika tamina tamino tammi
tammo tammy tamsin taneli tanisha tanja tanvi tanya tao tapio tara taras tarek tarik tariku
tariq tariro tarja taro tarun tasha tasos tassilo tatevik tatiana tatjana tatsuya taylan taylor
ted teda teemu tegan temitope tendai teo teodora terence teresa teresia terje tero terrence
terri terry tesfaye tessa tetiana tetsuya thabo thaddaus thaddeus thade thais thales thamer
thanasis thandi thandiwe thanh thao thea theano theda thekla thelma themba theo theobald theodor
theodora theodore theophile theres theresa therese theresia thi thiago thibaud thibault thibaut
thiemo thierry thies thilde thilo thinh thodoris thomas thora thoralf thorben thordis thore
thorge thorleif thorsten thu thure thuy tiago tiffany tihomir tiina tilda till tillmann tilly
tilman tilmann tilo tim timea timm timo timon timothy timur tina tine ting tino tiwa tizian
tiziana tjarde tjark tjorben toan tobi tobias toby todd todor toivo tolga tom tomas tomasz tomek
tomer tomislav tomke tomma tommaso tommi tommie tommy tomoko tomoya toni tonia tonja tony tonya
tor torben torbjorn torge tori torsten toru toshiro tova tracey traci tracy trang traudel traudi
traudl traute travis trevor tricia trina trinh trinidad trisha tristan trixi trude trudi trudy
trung truong trygve tsegaye tsubasa tuan tuana tucker tugba tuija tullio tuncay tunde tuomas
tuomo turgay tuula tuva tuyen tyler tyra tzipi ubbo uche uchenna uda uday udo ufuk ugo ugur ulf
uli ulises ulla ulli ullrich ulrich ulrika ulrike uma umberto umut undine unni urban urho uri
urs ursel ursina ursula ursule urszula urte uschi usha uta ute utz uwe uzoma vada vagner
vaishali val valentin valentina valentine valentino valentyna valere valeria valerian valerie
valerio valeska vandana vandita vanessa vangelis vania vanja vanna vappu varsha varun vasant
vasco vasiliki vasilis vasily vasyl vaughan veena veera vegard veikko veit velten venkat venla
vera verena verity vern vernon veronica veronika veronique vesa veselin vesna veza vic vicente
vicki vicky victoire victor victoria vidar vidya viet vigdis viggo vihaan vijay vijaya vikas
vikram viktor viktoria ville vimala vinay vince vincent vincenz vincenza vincenzo vineet vinh
vinicius vinod vinzent vinzenz viola violaine violet violeta violetta virgilio virginia virginie
virpi vishal vitali vitaliy vitaly vito vittoria vittorio viv vivek vivian viviana viviane
vivien vladan vladimir vladislav vladislava vlado volker volkhard volkmar volodymyr vroni vy
vyacheslav wade wael wafa wagner walburga walda waldemar waldtraud wale walfried walid wallace
walli wally walpurga walt walter walther waltraud waltraut wambui wanda wangari wanjiku wanjiru
warren wassim wayne wei wellington wen wencke wendelin wendell wendi wendy wenke wenzel werner
wes wesley wibke wiebke wiegand wieland wieslaw wigbert wiktoria wilbur wilfred wilfredo
wilfried wilfriede wilhelm wilhelmina wilhelmine wilko will willa willem willi william willibald
willow willy wilma wiltrud winfried winifred winnie winona winston wioletta wissam wito witold
wladimir wladyslaw wojciech wojtek wolf-dieter wolfdieter wolfgang wolfhard wolfram woo-jin wren
wulf wyatt xander xanthi xaver xavier xenia xia xiang xiao xiaoming ximena xin xiomara xiu xoan
xuan xue yaakov yadira yael yagmur yahya yair yamato yamini yan yang yaniv yann yannic yannick
yannik yannis yara yared yaroslav yaroslava yasemin yaser yash yasin yasmin yasmina yasmine
yassine yasuko yaw ye-rin yehuda yejin yen yesenia yetunde yevgenia yevgeny yevhen yiannis yifan
yigal yigit yilmaz ying yiorgos yisrael yitzhak yngve yohanna yohannes yoichi yoko yolanda
yolande yonas yonatan yong yoo-jin yordan yosef yoshiko yossi yosuke younes young-ho yousef
youssef yue yui yuina yukari yuki yukiko yuko yulia yuliya yumi yumiko yun yuna yuri yuriy yusuf
yusuke yuto yuxin yves yvette yvo yvonne zac zach zacharias zachary zack zafer zahra zaid zainab
zaira zakaria zaki zanele zara zarah zawadi zayn zbigniew zdravko zeev zehra zeina zeki zekiye
zelda zeljko zeno zenon zenta zenzi zeynep zhen zhi zhong ziad zihan zita ziva zlata zodwa zoe
zoey zofia zofija zohra zoi zola zoltan zoraida zoran zoya zsofia zubair zubeyde zuri zuzana
zuzanna zvi
`
    .trim()
    .split(/\s+/),
)

/** Surnames, many of them also nouns: they count after a given name or a title. */
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
