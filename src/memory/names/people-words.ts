// Given names and surnames that are common where English and German are written: a capital letter
// tells a name from a noun or from the start of a sentence in neither of the two for certain.
// All in lower case and without accents.

/** Given names. */
export const givenNames: ReadonlySet<string> = new Set(
  `
aaron abby abdul abdullah abel abigail abraham achim ada adam adele adeline adina adrian adriana
agata agnes agnieszka ahmad ahmed ahmet aidan aiden aiko aino aisha ajay akash akio akira alan
alastair albert alberto alejandra alejandro aleksander aleksandra alessandra alessandro alessia
alex alexa alexander alexandra alexandre alexei alexis alfonso alfred ali alice alicia alina
alisha alison alma alois alva alvaro alwin amal amalia amanda amara amber amelia amelie amin
amina amir amira amit amy ana anastasia anders andre andrea andreas andrei andres andrew andrzej
angela angelica angelika angelina angelo angus anika anita anja anke anna annabel anne anneliese
annette annika ansgar anthony antje antoine anton antonella antonia antonio anuj anya aoife
apolline arda ariana arianna ariel arif arjun armin arne arno arnold arthur artur arturo arvid
ashley ashok asif asta astrid atsushi aubrey audrey august augusta aurelia aurelie aurora austin
ava axel ayaan ayan aybike ayesha aylin ayse aziz azra barbara barry bart bartosz basil bastian
beat beate beatrice beatriz beau becky bella ben benedict benedikt benita benjamin benno
bernadette bernard bernd bernhard bert berta beth bethany betty beverly bianca bilal bill billy
birgit birgitta birte bjarne bjorn blanca bo bob bobby bodo bogdan boris bradley brandon brenda
brendan brett brian bridget brigitte britta brooke bruce bruna bruno bryan burak burkhard
caitlin caleb calvin cameron camila camilla camille carina carl carla carlo carlos carlotta
carmen carol carola carolin carolina caroline carolyn carsten casper catalina caterina catherine
cathy cecile cecilia cedric celeste celia celina celine cem chad chandra chantal charles charlie
charlotte chelsea chen chiara chidi chinonso chloe christa christian christiane christina
christine christoph christophe christopher cillian cindy claire clara clarissa claude claudia
claudio claus clemens clement cleo clive cody colette colin connor conor constanze cora cordula
corinna corinne cornelia cosima craig cristian cristiano cristina curtis cynthia cyril daan
dagmar dagny daisy dale damian damien damon dan dana daniel daniela daniele danielle danika
danny daphne dario dariusz darren dave david davide dawid dawn dean debbie deborah declan deepak
deepika deirdre delia demet denis denise deniz dennis derek derya detlef devon diana diane
didier diego dieter dietmar dietrich dilara dilek dimitri dimitris dina dirk dmitri dmitry
dominic dominik dominique don donald donatella donna dora doreen dorian doris dorota dorothea
dorothy doug douglas duncan dustin dylan ebba eberhard eckart eckhard eddie edgar edith edmund
edoardo eduard eduardo edward edwin efe egon eike eileen eirik ekaterina ela elaine eleanor
elena eleni eleonora elfriede eli elias elif elijah elin elina elisa elisabeth elise eliza
elizabeth elke ella ellen ellie elliot elliott elmar eloise elsa elsbeth elvira emanuel emanuele
emeka emelie emil emilia emilie emilio emily emine emir emma emmanuel emre ender enrico enrique
enzo erdem eric erica erich erik erika erin ernst erwin esra esteban estelle ester esther ethan
etienne eugen eugene eugenia eun eva evan evelin evelyn ewa ezra fabian fabienne fabio fabrice
fadi faisal faith farah farid fatih fatima fatma fatou federica federico felicia felicitas
felipe felix ferdinand fernanda fernando ferran fethi filip filippo filiz finja finlay finn
fiona flavia flavio flora florence florentina florian frances francesca francesco francis
francisca francisco francois frank franka franz franziska fred freddie frederic frederick
frederik freya frida frieda friederike friedhelm friedrich fritz gabi gabriel gabriela gabriele
gabriella gareth gary gavin gemma gene genevieve geoffrey georg george georgia georgina gerald
gerard gerd gerda gerhard gerlinde gero gertrud gesa giacomo gianluca gianni gideon gina giorgio
giovanna giovanni gisela giulia giuliana giulio giuseppe gloria gokhan gonzalo goran gordon
gottfried grace graham grant greg gregor gregory greta gretchen grete guido guillaume guillermo
gul gulsen gunnar gunter gunther gustav gustavo guy gwen hadi hakan hal hamid hamza hanna hannah
hannelore hannes hanno hans hans-peter harald hardy hari harriet harry hartmut haruki harumi
haruto harvey hasan hassan hatice hazel heather hector hedwig heidi heike heiko heiner heinrich
heinz helen helena helene helga helge helmut hendrik henning henri henriette henrik henrike
henry herbert herman hermann hermine hilary hilda hilde hildegard hiroko hiroshi hitomi holger
holly hope horst howard hubert hugh hugo humberto huseyin hussein iain ian ibrahim ida ignacio
igor ilaria ilka ilse ilya imani imke imran ines inga inge ingeborg ingo ingrid inka ioana ira
irene irina iris irma irmgard isaac isabel isabell isabella isabelle isaiah ismael ismail istvan
ivan ivana ivo ivy iwona izabela jack jackie jackson jacob jacqueline jacques jade jaime jake
jakob jakub jamal james jamie jan jana jane janet janette janina janine janis jannik janos
janusz jared jasmin jasmine jason javier jay jean jeanette jeanne jeff jeffrey jelena jenna
jennifer jenny jens jeremy jerome jerry jesper jesse jessica jessie jill jim jimena jimmy jin
jing jiri jo joachim joan joana joanna joanne joao joaquin joe joel johan johann johanna
johannes john johnny jolanta jon jonah jonas jonathan jordan jorg jorge jose josef josefine
joseph josephine josh joshua josie joy joyce jozef juan juana juanita judith judy julia julian
juliana juliane julie julien juliet juliette julio julius june jung junko jurgen jurij justin
justine justus jutta kai kaito kaja kamal kamil kamila karen karim karin karina karl karl-heinz
karla karol karolina karoline karsten kaspar kasper katarina katarzyna kate katerina katharina
katherine kathleen kathrin kathryn kathy katia katie katja katrin kavita kay kayla kazuki keiko
keith kelly kelvin ken kenan kendra kenji kenneth kenny kenta kerem kerstin kevin khadija khaled
khalid kieran kilian kim kimberly kira kirsten kirstin kjell klara klaus knut konrad konstantin
konstantina korbinian kristian kristin kristina kristof kristoffer krystyna krzysztof kumiko
kunal kurt kwame kyle kylie lakshmi lara larissa larry lars laszlo latoya laura lauren laurence
laurent laurin lavinia lea leah leander leandro leanne lee leif leila lena leni lenka lennard
lennart lenny leo leon leona leonard leonardo leonhard leonie leonora leroy leslie leticia levi
levin lewis lia liam lidia lieke liesel lila lili lilian liliana lilli lillian lilly lily lin
lina linda linnea linus lionel lior lisa lisbeth lise liv livia liz lizzie logan lola lorena
lorenz lorenzo loretta lori lothar lotta lotte lou louis louisa louise luana luc luca lucas
lucia lucian luciana lucie lucille lucy ludger ludmila ludwig luigi luis luisa luise luka lukas
lukasz luke luna lutz lydia lynn maarten mabel maddie madeleine madison mads mae magda magdalena
magnus mahmoud mahmud maia maike maira maja malcolm malik malin malina malte mandy manfred manu
manuel manuela mara marc marcel marcela marcella marcelo marcin marco marcos marcus mareike
maren margaret margarete margarita margit margot margret maria mariah mariam mariana marianne
marie mariella marija marik marika marilyn marina mario marion maris marisa marisol marissa
marit marius marjorie mark marko markus marleen marlene marlies marlon marta martha martin
martina marty marvin mary maryam masako mateo mateusz mathias mathieu mathilda mathilde mathis
matias matilda mats matteo matthew matthias matthieu mattis maurice mauricio max maxim maxime
maximilian maxine maya mechthild megan mehmet mei meike melanie melina melinda melissa melvin
mercedes meredith merle mert meryem mia micha michael michaela michal michel michele michelle
michiko miguel mihai mika mikael mike mikkel mila milan milena milo mimi mina minh mira miranda
miriam mirjam mirko misaki mischa mitchell miya mohamed mohammad mohammed moira molly mona
monica monika monique morgan morgane moritz morten moses moussa muhammad mukesh murat muriel
musa mustafa myriam nabil nadia nadine nadja nagihan najib naomi narges nasrin nastasia natalia
natalie natascha natasha nathalie nathan nathaniel navid neha neil nele nelson nevin ngozi
nguyen niamh nicholas nick nicki nico nicola nicolai nicolas nicole niels nigel nihal nik nikhil
nikita niklas niko nikola nikolai nikolas nils nimet nina noah noel noelle noemi noor nora
norbert noreen norma norman nour nuno nuri nuria oda odette odile ole oleg olga olive oliver
olivia olivier olof oluwaseun omar omer oona orhan orla orlando ornella oscar oskar osman oswald
otis ottilie otto owen ozan ozge ozlem pablo paige pamela paola paolo parisa pascal pascale
patrice patricia patrick patrik patrizia patryk paul paula paulina pauline paulo pavel pawel
pearl pedro peggy penelope penny per percy perry pete peter petra petros phil philip philipp
philippa philippe phoebe phyllis pia pierre pieter pietro pilar piotr poppy prakash pranav
preeti priya priyanka quentin quinn rabea rachel radek rafael rafaela rafal raffaele rafi raheem
rahel rahul raimund rainer raj rajesh ralf ralph ramesh ramon ramona rana randy rania rasheed
rasmus raul ravi ray raymond razia rebecca regina regine reinhard reinhold remi remo renata
renate rene renee reto reza rhea rhiannon rhys ricarda ricardo riccardo richard rick ricky rieke
riley rita rob robert roberta roberto robin rocco roderick rodney rodrigo roger rohan roland
rolf romain roman romana romeo romy ron ronald ronja ronnie rory rosa rosalie rosalind rosanna
rose rosemarie rosemary rosi rosie ross roswitha rowan roxana roy ruben ruby rudi rudiger rudolf
rufus rui rukmini rupert russell ruta ruth ryan ryo sabina sabine sabrina sacha sadie saeed
safiya said sakura salim sally salma salome salvador salvatore sam samantha samir samira samuel
sana sandeep sandra sandro sandy sanjay santiago saoirse sara sarah sascha sasha saskia satoshi
saul savannah scarlett scott sean sebastian sebastien selim selin selina selma serena serge
sergei sergio serkan seth severin seydou shane shannon sharon shaun shauna sheila shelly shirin
shirley shreya shu siegfried sieglinde siegmund sigrid silas silke silvana silvia silvio simon
simona simone sina sinem siobhan sofia sofie solveig somchai sonia sonja sophia sophie soren
spencer stacy stan stefan stefania stefanie stefano steffen steffi stella stephan stephanie
stephen steve steven stewart stina stuart sue suki sumit sunita sunniva suresh susan susann
susanna susanne suzanne svea sven svenja svetlana swantje sybille sydney sylvester sylvia sylvie
tabea tabitha tadeusz takashi takeshi talia tamar tamara tamas tamika tanja tanya tara tarek
tarik tariq tatiana tatjana ted teo teresa terrence terry tessa thaddeus thea theo theodor
theodora theresa therese thiago thibault thiemo thies thilo thomas thorben thorsten tiago
tiffany tilda till tillmann tilman tim timo timothy timur tina tino tobias toby todd tom tomas
tomasz tomislav tommaso tommy toni tony tonya torben torsten tracy travis trevor tristan trude
trudi trudy tuan tugba tuncay tyler udo ulf uli ulla ullrich ulrich ulrike umut urs ursel ursula
usha uta ute uwe vada val valentin valentina valeria valerie vanessa vasco veit vera verena
vernon veronica veronika veronique vicky victor victoria vijay vikram viktor viktoria vincent
vincenzo viola violet violeta virginia vito vittoria vivian viviane vivien vladimir volker
volkmar wade waldemar walter walther wanda wanjiru warren wassim wayne wendy wenke werner wiebke
wilfried wilhelm wilhelmina will willa willem william willow wilma winfried winston wladimir
wojciech wolfgang wolfram xander xavier xenia ximena xin yael yan yannick yannik yara yasemin
yasmin yasmine ying yolanda yosef yousef youssef yuki yuko yuri yuriy yusuf yuto yves yvette
yvonne zac zach zachary zainab zara zayn zehra zeynep zita zoe zofia zoltan zuri zuzana
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
