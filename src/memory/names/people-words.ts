// Given names and surnames that are common where English and German are written: a capital letter
// tells a name from a noun or from the start of a sentence in neither of the two for certain.
// All in lower case and without accents.

/** Given names. */
export const givenNames: ReadonlySet<string> = new Set(
  `
aaron abby abdul abdullah abel abigail abraham achim ada adaeze adam adele adeline adina adrian
adriana aenne agata agnes agnieszka ahmad ahmed ahmet aidan aiden aiko aino aisha ajay akash
akio akira alan alastair albert alberto alec alejandra alejandro aleksandar aleksander
aleksandra alessandra alessandro alessia alex alexa alexander alexandra alexandre alexei alexis
alfie alfonso alfred alhassan ali alice alicia alina alisha alison alma alois alva alvaro alwin
alwine amadou amal amalia amanda amara amber amelia amelie amin amina amir amira amit amy ana
anastasia anders andre andrea andreas andrei andres andrew andrzej angela angelica angelika
angelina angelo angus anika anil anita anja anke ankit anna annabel anne annegret anneke annelie
anneliese annett annette annika ansgar anthony antje antoine anton antonella antonia antonie
antonio anuj anya aoife apolline aram arash archie arda ariana ariane arianna ariel arif arjun
arlo armando armin arne arno arnold arthur artur arturo arvid arvind asher ashley ashok ashwin
asif asta astrid atilla atsushi aubrey audrey august augusta aurelia aurelie aurora austin ava
axel ayaan ayan aybike ayesha aylin ayse aziz azra babak baran barbara barnaby barry bart
bartosz bashir basil bastian beat beate beatrice beatrix beatriz beau becky behzad bekir belinda
bella ben benedict benedikt benita benjamin benno bernadette bernadine bernard bernd bernhard
bert berta bertie beth bethany bettina betty beverly bianca bilal bill billy birgit birgitta
birte bjarne bjorn blair blanca bo bob bobby bodo bogdan boris boubacar bradley brandon brenda
brendan brett brian bridget brigid brigitte britt britta bronwyn brooke bruce bruna bruno bryan
burak burkhard caitlin caleb callum calvin cameron camila camilla camille carina carl carla
carlo carlos carlotta carmen carol carola carolin carolina caroline carolyn carsten casper
catalina caterina catherine cathy cecile cecilia cecily cedric celeste celia celina celine cem
cengiz chad chandra chantal charles charlie charlotta charlotte chelsea chen chiara chidera
chidi chinonso chloe christa christian christiane christina christine christoph christophe
christopher chukwu cihan cillian cilly cindy claire clara clarissa claude claudia claudio claus
clemens clement clementine cleo clive cody colette colin colm connor conor constanze cora
cordelia cordula corinna corinne cormac cornelia cornelius cosima craig cristian cristiano
cristina curtis cynthia cyril daan dafydd dagmar dagny daisy dale damian damien damon dan dana
daniel daniela daniele danielle danika danny daphne darcy dario dariusz darren dave david davide
davood dawid dawit dawn dean debbie deborah declan deepak deepika deirdre delia delilah demet
denis denise deniz dennis derek derya detlef devon diana diane didier diego dieter dietlinde
dietmar dietrich dilara dilek dimitri dimitris dina dirk djamila dmitri dmitry dominic dominik
dominique don donald donatella donna dora doreen dorian doris dorle dorota dorothea dorothy
dorte doug douglas duncan dustin dwayne dylan ebba eberhard eckart eckhard edda eddie edgar edie
edith edmund edoardo edson eduard eduardo edward edwin efe egon eike eileen eilidh eirik
ekaterina ela elaine eleanor elena eleni eleonora elfriede eli elias elif elijah elin elina
elisa elisabeth elise eliza elizabeth elke ella ellen ellie elliot elliott elmar elodie eloise
elsa elsbeth elspeth elvan elvira emanuel emanuele emeka emelie emil emilia emilie emilio emily
emine emir emma emmanuel emre ender enid enrico enrique enzo erdem eren eric erica erich erik
erika erin ernst erwin esme esperanza esra esteban estelle ester esther ethan etienne euan eugen
eugene eugenia eun eva evan evelin evelyn ewa ezekiel ezra fabian fabienne fabio fabrice fadi
fadil faisal faith farah farhad farid farouk fatih fatima fatma fatou federica federico fee
felicia felicitas felipe felix fenja ferdinand fergus fern fernanda fernando ferran fethi fikret
filip filippo filiz finja finlay finley finn finnja fiona flavia flavio flora florence
florentina florian frances francesca francesco francis francisca francisco francois frank franka
franz franziska fraser frauke fred freddie frederic frederick frederik frederike freya frida
frieda friedel friederike friedhelm friedrich fritz gabi gabriel gabriela gabriele gabriella
galina gamal ganesh gareth gary gavin gemma gene genevieve geoffrey georg george georgia
georgina gerald gerard gerd gerda gerhard gerlinde gero gertrud gesa gesine giacomo giancarlo
gianluca gianni gideon giles gina giorgio giovanna giovanni gisela gitta giulia giuliana giulio
giuseppe gladys gloria gokhan gonzalo goran gordon gottfried grace graeme graham grant greg
gregor gregory greta gretchen grete gudrun guido guillaume guillermo guinevere gul gulnara
gulsen gunnar gunter gunther gustav gustavo guy gwen gwyneth habib hadi hakan hal hamed hamid
hamish hamza hanna hannah hannelore hannes hanno hans hans-peter harald hardy hari harriet harry
hartmut haruka haruki harumi haruto harvey hasan hassan hatice hattie hatun hazel heather hector
hedda hedwig heidi heidrun heike heiko heiner heinrich heinz helen helena helene helga helge
helma helmut hendrik henning henri henriette henrik henrike henry herbert herman hermann hermine
hetty hilary hilda hilde hildegard hiltrud hiro hiroko hiroshi hitomi holger holly hope horst
howard hubert hugh hugo humberto huseyin hussein hyun iain ian ibrahim ida ifeoma ignacio igor
ikram ilaria ilir ilka ilona ilonka ilse ilya imad imani imke imma imogen imran ines inga inge
ingeborg ingelore ingo ingrid inka ioana iona ira irene irina iris irma irmgard irmtraud isaac
isabel isabell isabella isabelle isaiah isla ismael ismail isolde istvan ivan ivana ivo ivor ivy
iwona izabela jack jackie jackson jacob jacqueline jacques jade jaime jake jakob jakub jalal
jamal james jamie jamila jan jana jane janet janette janina janine janis jannik janos janusz
jared jarno jasmin jasmine jason jasper javier jay jean jeanette jeanne jeff jeffrey jelena
jemima jenna jennifer jenny jens jeremy jerome jerry jesper jesse jessica jessie jiho jill jim
jimena jimmy jin jing jiri jiwoo jo joachim joan joana joanna joanne joao joaquin jock joe joel
johan johann johanna johannes john johnny jolanda jolanta jon jonah jonas jonathan jonte joon
jordan jorg jorge jose josef josefa josefine joseph josepha josephine josh joshua josie jost joy
joyce jozef juan juana juanita juanjo judith judy julia julian juliana juliane julie julien
juliet juliette julio julius juna june jung junko juno jurgen jurij justin justine justus jutta
kaan kader kaethe kai kaito kaja kamal kamil kamila karen karim karin karina karl karl-heinz
karla karol karola karolina karoline karsten karthik kaspar kasper katarina katarzyna kate
katerina katharina katherine kathi kathleen kathrin kathryn kathy katia katie katja katrin
kavita kay kayla kazuki keanu keiko keith kelly kelvin ken kenan kendra kenji kenneth kenny
kenta kerem kerstin kevin khadija khaled khalid kieran kilian kim kimberly kira kirsi kirsten
kirstin kirsty kjell klara klaus knut kofi kojo konrad konstantin konstantina korbinian kristian
kristin kristina kristof kristoffer krystyna krzysztof kumiko kunal kurt kwabena kwame kyle
kylie lachlan lakshmi laleh lamar lara larissa larry lars laszlo latif latoya laura lauren
laurence laurent laurin lavinia layla lea leah leander leandro leanne lee leif leila lena lene
leni lenka lennard lennart lenny leo leon leona leonard leonardo leonhard leonie leonora leopold
leroy leslie leticia levi levin lewis li lia liam lidia lieke liesbeth liesel lila lili lilian
liliana lilli lillian lilly lily lin lina linda lindiwe linnea linus lionel lior lisa lisbeth
lise liv livia liz lizzie logan lola loni lore lorena lorenz lorenzo loretta lori lorna lothar
lotta lotte lottie lou louis louisa louise luana lubna luc luca lucas lucia lucian luciana lucie
lucille lucy ludger ludmila ludo ludwig luigi luis luisa luise luka lukas lukasz luke luna lutz
luzie lydia lyle lynn maarten mabel maddie madeleine madison mads mae maeve magda magdalena
magnus mahmoud mahmud mahsa maia maike maira mairi maisie maja malcolm malik malin malina malte
mandy manfred manu manuel manuela mara marc marcel marcela marcella marcelo marcin marco marcos
marcus marei mareike maren margaret margarete margarita margit margot margret marguerite maria
mariah mariam mariana marianne maribel marie mariella marija marik marika marilyn marina mario
marion maris marisa marisol marissa marit marius marjorie mark marko markus marleen marlen
marlene marlies marlon marta martha martin martina marty marvin mary maryam maryse masako mateo
mateusz mathias mathieu mathilda mathilde mathis matias matilda mats matteo matthew matthias
matthieu mattis maud maurice mauricio max maxim maxime maximilian maxine maya mechthild mechtild
meera megan mehdi mehmet mei meike melanie melina melinda melissa melvin mercedes meredith merle
merlin mert meryem mia micha michael michaela michal michel michele michelle michiko miguel
mihai mika mikael mike mikkel mila milan milena milo milos mimi mina ming minh minna minnie mira
miranda mireille miriam mirjam mirko misaki mischa mitchell miya mohamed mohammad mohammed mohan
moira molly mona monica monika monique morag morgan morgane moritz morten moses moussa muhammad
mukesh murat muriel musa mustafa myriam myrtle nabil nadeem nadia nadine nadja nagihan najib
naomi narges nasrin nasser nastasia natalia natalie natascha natasha nathalie nathan nathaniel
navid navin ned neele neha neil nele nell nelli nelson nessa nevin ngozi nguyen nia niall niamh
nicholas nick nicki nico nicola nicolai nicolas nicole niels nigel nihal nik nikhil nikita
niklas niko nikola nikolai nikolas nils nima nimet nina nisha nkechi noah noel noelle noemi noor
nora norbert noreen norma norman nour noura nuno nuray nuri nuria obinna oda odette odile odin
oke oksana ole oleg olena olga olive oliver olivia olivier olof oluwaseun omar omer omid oona
orhan orla orlando ornella osagie oscar oskar osman oswald oswin otis ottilie otto owen ozan
ozge ozlem pablo paige pamela paola paolo parisa parvati pascal pascale patrice patricia patrick
patrik patrizia patryk paul paula paulina pauline paulo pavel pawel pearl pedro peggy penelope
penny per percy perry pete peter petra petronella petros phil philip philipp philippa philippe
philomena phoebe phyllis pia pierre pieter pietro pilar piotr pippa pooja poppy prakash pranav
preeti primrose priya priyanka prudence ptolemy qasim quentin quinn quirin rabea rachel rachid
radek rafael rafaela rafal raffaele rafi raheem rahel rahul raik raimund rainer raj rajesh ralf
ralph ramesh ramon ramona rana randy rania ranjit rasheed rasheeda rasmus raul ravi ray raymond
razia rebecca reem regina regine reinhard reinhold remi remo renata renate rene renee reto
reuben reza rhea rhiannon rhona rhys ria ricarda ricardo riccardo richard rick ricky rieke riley
rita rob robert roberta roberto robin rocco roddy roderick rodney rodrigo roger rohan rohit
roisin roland rolf romain roman romana romeo romy ron ronald ronja ronnie rory rosa rosalie
rosalind rosalyn rosanna rose rosemarie rosemary rosi rosie rosl ross roswitha rowan roxana roy
ruben ruby rudi rudiger rudolf rufus rui rukmini runa rupert russell ruta ruth ryan ryo sabina
sabine sabrina sacha sadie sadiq saeed saffron safiya sahar said sakura salim sally salma salome
salvador salvatore sam samantha samir samira samuel sana sanaa sandeep sandra sandro sandy
sanjay sanne santiago saoirse sara sarah sascha sasha saskia satoshi saul savannah scarlett
scott seamus sean sebastian sebastien selim selin selina selma selwyn seong serena serge sergei
sergio serhat serkan seth severin seydou shabnam shane shanice shannon sharon shaun shauna
sheila shelly shirin shirley shona shreya shu sibylle siddharth siegfried sieglinde siegmund
sigrid sigrun silas silja silke silvan silvana silvia silvio simon simona simone sina sinan
sinead sinem siobhan smilla sofia sofie solene solveig somchai sonia sonja sophia sophie sorcha
soren spencer stacy stan stefan stefania stefanie stefano steffen steffi stella stephan
stephanie stephen steve steven stewart stina stuart sue suki suleiman sumit sunil sunita sunniva
suresh susan susann susanna susanne suzanne svea sven svenja svetlana svitlana swantje swenja
sybille sydney sylvester sylvia sylvie tabea tabitha tadeusz takashi takeshi takumi talia tamar
tamara tamas tamika tamsin tanja tanya tara tarek tarik tariku tariq tatevik tatiana tatjana ted
tegan tendai teo teresa terrence terry tessa thaddeus thandiwe thea thekla thelma theo theodor
theodora theresa therese thiago thibault thiemo thies thilo thomas thorben thorsten thu tiago
tiffany tilda till tillmann tilly tilman tilo tim timo timothy timur tina tino tjark tobias toby
todd tolga tom tomas tomasz tomislav tomke tommaso tommy toni tony tonya torben torsten tracy
traute travis trevor tristan trude trudi trudy tuan tugba tuncay tyler tyra uchenna udo ulf uli
ulla ullrich ulrich ulrika ulrike umut urs ursel ursula usha uta ute uwe vada val valentin
valentina valentyna valeria valerie vanessa vanja vasco veit vera verena verity vernon veronica
veronika veronique vicky victor victoria vijay vikram viktor viktoria vince vincent vincenzo
vinzenz viola violet violeta virginia vito vittoria vivek vivian viviane vivien vladimir volker
volkmar volodymyr vroni wade walburga waldemar wale walter walther waltraud wanda wanjiru warren
wassim wayne wencke wendy wenke werner wiebke wilbur wilfried wilhelm wilhelmina wilko will
willa willem william willow wilma winfried winifred winston wladimir wojciech wojtek wolfgang
wolfram wren xander xaver xavier xenia xiao ximena xin yael yan yannick yannik yannis yara
yasemin yasin yasmin yasmine yaw yetunde ying yohannes yolanda yosef yousef youssef yuki yuko
yuna yuri yuriy yusuf yuto yves yvette yvonne zac zach zachary zahra zainab zara zayn zehra zeki
zelda zeno zeynep zita zoe zofia zoltan zuri zuzana
`
    .trim()
    .split(/\s+/),
)

/** Surnames, of which many are nouns too: they count behind a given name or a title. */
export const surnames: ReadonlySet<string> = new Set(
  `
albrecht arnold bach bauer baumann beck becker berg berger bergmann brandt braun busch bäcker
böhm demir dietrich engel fischer frank franke friedrich fuchs förster graf groß gärtner günther
haas hahn hartmann heinrich herrmann hoffmann hofmann horn huber jung jäger kaiser kaya keller
klein koch kowalski kraus krause krämer krüger kuhn köhler könig kühn lang lange lehmann lorenz
ludwig maier mayer meier metzger meyer möller müller neumann novak nowak otto peters pfarrer
pfeiffer pohl reiter richter ritter roth sauer schmid schmidt schmitt schneider scholz schreiber
schröder schubert schulz schulze schumacher schuster schwarz schäfer seidel simon sommer stahl
stein steiner sturm thomas vogel vogt voigt wagner walter weber weiß werner winkler winter wolf
wolff yilmaz ziegler zimmer zimmermann
`
    .trim()
    .split(/\s+/),
)
