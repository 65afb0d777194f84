// German nouns, which have capital letters like names. A compound is recognized by its last part,
// so some thousand words cover most nouns of everyday texts.

/** In lower case, mostly singular. */
export const germanNouns: ReadonlySet<string> = new Set(
  `
abbau abend abenteuer abfall abflug abgabe abgang abgas abgeordnete abi abitur abiturient
abkommen ablage ablauf ableger ablöse abo abonnement abriss absage absatz abschied abseits
absolvent abszess abteil abwehr abwurf abzug accessoire achse achsel achtel achtziger acker ader
adler admin adresse affe affäre afrikaner agenda agentur agrar ahnung ahorn akademie akademiker
akkord akku akkuschrauber akne akrobat akt akte akteur aktie aktion aktive aktivist akustik
akzent akzeptanz alarm albtraum album alge alias alibi alkohol allee allergie allergien alltag
almosen alpaka alptraum altar altbau alter alternative altertum alu aluminium amateur ambiente
ambulanz ameise amerikaner amnestie ampel ampulle amsel amt amulett analyse analyst ananas anbau
anbieter andacht anekdote anfall anfang anflug angabe angehörige angeklagte angel angestellte
angler angreifer angst anhang anker anlage anlass anlauf anleger anleihe anlieger annonce anreiz
anruf ansage ansatz anstalt anstoß anteil antenne antibiotika antibiotikum antihistaminikum
antrag antwort anwalt anwender anwältin anzahl anzeige anzug anästhesist aorta apartheid
aperitif apfel apfelsine api apis app apparat appell appetit aprikose april aquarell aquarium
arbeit arbeiter architekt archiv archivar archäologe areal arena argument arm armatur armee
armut aroma art arterie arthrose artikel artist arzt asche asiate asphalt assessment ast asthma
asyl atelier atem athlet atlas atmosphäre atom attacke attentat attest attrappe aubergine aufbau
aufmaß aufprall aufruf aufruhr aufseher auftrag aufzug auge augenbraue august aula ausbau ausmaß
auszug auto automat automatik autonomie autor autorin avatar avocado axt azubi baby bachelor
backe backend backup bad bagger bahn bahre bai bakterie bakterien balance balg balken balkon
ball ballen ballett ballon balsam bambus banane band bandage bande bandit bank bankier bankrott
banner bar baracke barde barometer baron barren barriere barsch bart basar base basilikum basis
basketball bass bast bastard bastelset bastler bataillon batterie batzen bau bauamt bauch
bauchweh bauer baum bazillus beamer beamte beamtin beauftragte beben becher becken bedarf
bedauern bedenken bedienstete bedürfnis beefsteak beere beet befehl befinden befugnis befund
begehren begierde beginn begleiter begleiterin begriff behälter behörde beichte beil bein beirat
beitrag beize bekannte beklagte belag belang beleg belege benehmen benutzer benzin beobachter
berater beraterin bereich berg bericht berichterstatter bernstein beruf bescheid beschlag
beschluss beschwerde beschäftigte besen besitz besitzer bestand beste besteck bestie besuch
besucher beta beton betrachter betrag betreff betreiber betreten betreuer betreuerin betrieb
betrug betrüger bett bettler beule beute beutel beweis bewerber bewohner bewohnerin bewusstsein
bezirk bezug bib bibel biber bibliothekar bic biene bier biest bilanz bild billard billiarde
billion bimsstein binde biopsie birne bischof biss bisschen bistro bistum bitcoin bitte blamage
blase blasen blatt blau blazer blech blei bleibe blende blick blinde blinker blitz blitzer block
blockade blog blogger bluetooth blume bluse blut blödsinn blüte boa bock boden bogen boheme
bohle bohne bohrer boiler boje bolzen bombe bonbon bonus boot bord boss bot botanik bote botin
bottich boulevard bowle box boxen boxer boykott brache branch branche brand brandmelder brandy
braten bratsche brauch brauchtum braun braut breakpoint brecher brei breite bremse bresche brett
brezel brief brigade brikett brille brise brocken brokat brokkoli brombeere bronchien bronchitis
bronze brosche broschüre brot browser bruch bruder brunch brunnen brust brut bräutigam brötchen
brücke brühe bub bube bubi buch buchse bucht buckel buddha bude budget buffet bug bugfix buggy
build bulette bulle bulletin bummel bund bungalow bunker burg burndown bursche bus busch busen
butler butter button bußgeld bypass bäcker bär börse büfett bügel bühne bündel bürge bürger büro
bürokratie bürste cache café callback camp camper camping cappuccino carport cashew casting
cello cent center champagner champignon champion chance changelog chaos charakter charge charme
chat chauffeur checkliste checkout cheeseburger chef chefin chemie chemo chili chip chirurg
chlor cholera cholesterin chor christ christentum chrom chronik ci city clan cli client clique
clou cloud clown club cluster coach coaching cockpit cocktail code cola collage comeback comic
commit community compiler computer container controller cookie copyright cordon corona cortison
couch coup coupon courtage couscous cousin cousine cracker crash crawler credo creme cronjob ct
cup curry cursor cutter dach dackel daemon daily dame damm dampf dampfer dank darlehen darm
darsteller dasein dashboard datei daten datum dauer daumen daune debakel debatte debugger
debugging debüt deck decke deckel default defekt defizit degen deich deko dekor delegierte
delfin delikatesse delikt delle delta dementi demenz demo demokrat demokratie demonstrant denken
deploy deployment depot depp desaster design designer designerin dessert dessous detail detektiv
detektor deutsch deutsche devise dezember dia diabetes diagnose diagnostik dialekt dialog
diamant diaphragma dichte dichter dickicht dieb diele diener dienerin dienst dienstleister
diesel differenz diktat dilemma dill ding dinner diphtherie diplom diplomat direktor direktorin
dirigent dirndl dirne disco discount diskette display disput distanz distel disziplin diva
dividende diät diözese dj dockerfile doktor doktorand dokument dolch dollar dolmetscher dom
domain domino domizil dongle donner doping doppel dorf dorn dorsch dose dosis dotter dozent
dozentin drache drachen draft draht drama dramatiker drang draufgänger dreck dreh dreieck
dreizehn dritte drittel droge drogerie drohne drossel druck drucker drüse dschungel dsl duell
duett duft duke dump dunkel dunst duo durcheinander durst dusche dussel dutzend dynamik dynamit
dynamo dynastie dämon dübel düne dünger dünkel dürre ebene eber echo ecke ects editor efeu
effekt effizienz egoist ehe ehre ei eiche eichel eichhörnchen eid eidechse eier eifer eigentum
eigentümer eigentümerin eigner eile eimer einbau eindringling einfalt einkommen einlass einleger
einmaleins eintrag einwohner einzug eis eisbär eisen eiter eiweiß ekel ekg ekzem elan elefant
elektriker elektronik element elend elfe elite ellbogen ellenbogen elster eltern email emails
emanze embargo emigrant empfang empfinden empfänger empfängerin ende endung energie enge engel
enkel enkelin ente entgelt enthusiasmus entscheid entsetzen entwickler entwicklerin entzug
epidemie epilepsie episode epoche erbe erbin erbse erde erdgas erdung erdöl ereignis erfinder
erfolg erfordernis ergebnis erguss erhalt erkenntnis erlass erlaubnis erlebnis erlös ermittler
ernst ernte erpresser ersatz ersparnis erste ertrag erwachsene erwerb erz erzeuger erzeugnis
erzieher erzieherin esel esim espresso essen essig estrich etage etat etf ethik etikett etui
eule euro europäer euter event exemplar exil existenz exmann exot experiment experte expertin
explorer exponat export express extra extrakt extrem exzess fabel fabrik fabrikant facette fach
fackel faden fahne fahrer fahrerin fahrradhelm fahrt fakt faktor faktum falke fall falle
falschgeld falte falter familie fan fang fantasie farbe farn fasan fasching faschist faser fass
fassade fasten fastfood fauna faust favorit fax fazit feature feature-flag februar fechten feder
feedback fehde fehlbetrag fehler fehlgeburt feier feige feigling feile feind feld felge fell
fels felsen fenchel fenster ferien ferkel fern ferne fernseher ferse fest festival feta fete
fett fetzen feuer feuerlöscher feuermelder feuilleton fichte fieber fiesling figur fileserver
filet filiale film filter filz finale finanzen finderlohn finger fink finsternis firewall firma
fisch fischer fiskus fitness fixer flagge flair flamme flanell flanke flasche flatrate flaute
flechte fleck fleisch fleischer fleiß flieder fliege flieger fliese fliesenleger flirt
flitterwochen floh flop floskel flosse flotte floß fluch flucht flug flunder fluor flur fluss
flut flyer fläche fläschchen flöte flüchtling flügel fohlen folge folger folie folter fonds
fontäne forelle fork form format formel formular forst fortgeschrittene forum foto foul foyer
fracht frachter frack frage fraktur framework franzose franzosen fratze frau frauen freak
freiberufler freiwillige fremde frequenz freske freude freund freunde freundin frevel friede
frieden frikadelle frische friseur friseurin frist fristen frisur friteuse fritten frohsinn
front frontend frosch frost frosta frottee frucht frust frühe frühling fuchs fuge fuhr fuhre
fund fundament funk funke funker furcht furz fusel fusion fussel futter fuß fußweg fähnchen
fähre fährte fäulnis föhn fön förderer förster fügung führer fülle füller fünfer fürsorge fürst
fürstentum fürstin gabe gabel gadget gage gala galaxie galerie galgen galle gallone galopp gang
gangster gans garage garantie garde gardine garn garnele garnitur garten gas gasse gast
gastritis gastronomie gaststätte gateway gatte gattin gaul gaumen gauner gaze gebell geber gebet
gebiet gebirge gebiss gebläse gebot gebrüll geburt gebäck gebärde gebärmutter gebäude gebühr
gebüsch gedanke gedeck gedicht gedränge geduld gedächtnis gefahr gefallen gefangene gefecht
geflecht geflüchtete geflügel gefolge gefährte gefährtin gefälle gefängnis gefäß gefüge gefühl
gegend gegner gehalt gehege geheimdienst geheimnis geheimzahl gehhilfe gehirn gehweg gehäuse
gehör geier geige geisel geist geistliche geiz gelage geld gelee geleit gelenk geliebte
gelächter gelände geländer gelübde gemeinde gemisch gemälde gemüse gemüt gen general generator
genick genie genitalien genosse genre genuss georgette gepard gepäck gerade gerede gericht
gerichtsvollzieher gerinnsel gerippe gerste geruch gerät geräusch geröll gerücht gerümpel gerüst
gesang geschehen geschenk geschichte geschick geschirr geschirrspüler geschlecht geschmack
geschoss geschrei geschwader geschwister geschwulst geschwätz geschwür geschädigte geschäft
geschöpf geschütz geselle gesetz gesicht gesindel gespann gespenst gespräch gespött gespür
gestalt gestank geste gestell gestirn gestrüpp geständnis gestüt gesuch gesäß getreide getriebe
getränk getue getöse gewalt gewand gewebe gewehr geweih gewerbe gewicht gewichtheber gewimmel
gewinde gewinn gewinner gewinnerin gewirr gewissen gewitter gewächs gewölbe gewühl gewürz geysir
geäst ghetto giebel gier gift gigabyte gigant gin gipfel gips girlande girokonto gischt gitarre
gitter glanz glas glasur glatze glaube gleich gleis gletscher glied glimmer globus glocke
glossar glotze glut gluten glätte gläubiger glück gnade gnom gockel gold golf gondel gorilla
gosse gotik gott gouverneur grab graben grad graf grafik gramm grammatik granate granit
grapefruit graphik gras graupel gravur grazie gremium grenze grieß griff grill grille grimasse
grippe grips grobian grog groll groschen grotte grube gruft grund gruppe grusel gruß gräfin
gräte gräuel grönländer größe grübchen grün gründer gründerin guckloch guerilla guillotine
gulasch gulli gummi gummibärchen gunst gurke guru guss gut gutachten gutachter gutachterin
guthaben gymnasiast gymnasium gymnastik gynäkologe gynäkologin gämse gänseblümchen gärtner
gärtnerin gäste gönner gürtel güte haar habgier habicht hacke hacker hader hafen hafer
haferflocken haft hagel hahn hai hain haken halle halogen hals halt halter halunke hammer
hamster hand handel handfeger handicap handlanger handvoll handy hanf hang hansestadt hantel
happen hartz haschisch hase haselnuss hash hass hasser hast haube hauch haue hauer haufen haupt
haus haut hdmi header headset healthcheck hebamme hebel hecht heck hecke heer hefe heft hefter
hehler heidelbeere heidentum heil heilige heiligtum heim heimat heimweh heirat heizöl hektar
hektik held heldin helfer helferin helikopter hemd hengst henker henne hepatitis herbst herd
herde hering hermelin hernie heroin herpes herr herren herrin herrscher herz herzklopfen herzog
hetze heu heuchler hexe hieb highlight hilfe himbeere himmel hindernis hindu hintern hirn hirsch
hirse hirt hirte historiker hitparade hitze hno hobby hobel hocker hockey hoden hof hoheit hohn
holunder holz homeoffice homepage hommage honig honorar hook hopfen horde horizont hormon horn
hornisse horoskop horror hort hose hospital hospiz host hostel hostie hosting hotel hotfix
hotline hub hubschrauber huf huhn hummel hummer humor hund hundert hunger hupe hure hurrikan
husten hut hydrant hygiene hymne hype hypervisor hysterie hyäne häcksler häftling hälfte händler
händlerin härte häuptling höhe höhle hölle hörer hüfte hügel hühner hülle hülse hüne hürde hüter
hütte iban ibuprofen icon ideal idee idiot idol idylle igel iglu ignoranz illustrierte iltis
image imbiss imitat imker immigrant immobilie imperium import impressum impuls inbegriff
inbetriebnahme index indianer indikator individuum indiz industrie industrielle infarkt infekt
influencer informatik infra ingenieur ingenieurin ingwer inhaber inhaberin inhalator inhalt
initiative inkasso innung insasse inschrift insekt insel inserat insider insolvenz inspektor
installateur instanz instinkt institut instrument insulin intellekt intelligenz intendant
interesse interessent interessentin interface internat internet interpret interpreter intervall
intrige intro invalide inventar inventur investor inzidenz ironie irre irrtum islam isomatte
israeli issue italiener jacht jacke jackett jackpot jagd jaguar jahr jahrzehnt jalousie jammer
januar jargon jauche jazz jeans jeep jet job joch jod jodler joggen jogginghose joghurt jour
journal journalist journalistin joystick jubel jubiläum jude judentum judo jugend jugendliche
juli jumbo junge juni junior junta jura jurist juristin jury justiz juwel juwelier jux jäger
jägerin jüngling kabarett kabel kabeljau kabine kabinett kachel kacke kadaver kader kaffee kahn
kaiser kajak kakadu kakao kakerlake kaktus kalb kalender kalk kalkül kalorie kamel kamera
kamerad kameradin kamille kamin kamm kammer kampagne kampf kanal kanban kandidat kandidatin
kandidatur kaninchen kanister kanne kanone kantate kante kantine kanton kantor kanu kanzlei
kanzler kanzlerin kap kapelle kaper kapital kapitalist kapitel kapitän kaplan kappe kapsel
kapuze karaffe karambolage karat karate karawane kardinal karfreitag karies karikatur karneval
karo karotte karpaltunnel karpfen karren karriere karrierist karte kartei kartell kartoffel
karton karussell karwoche kaserne kasino kasko kasse kassette kastanie kasten kasus katalog
katalysator katapult katarrh katastrophe kategorie kater kathedrale katheter katholik katze
katzenstreu kauderwelsch kauf kauz kavalier kaviar kebab kegel kehle kehr keil keim keks kelch
kelle keller kellner kellnerin kelter kenner kenntnis keramik kerker kerl kern kernel kerze
kescher kessel ketchup kette ketzer keuchhusten keule key kichererbsen kicker kickoff kiefer
kieme kies kiesel killer kilo kind kinder kinn kino kiosk kippe kirche kirmes kirsche kissen
kiste kita kitsch kittel kiwi klage klammer klamotte klang klappe klarinette klasse klassik
klassiker klatsch klaue klausel klausur klavier kleber klecks klee kleid klemme klempner klette
kletterer klettern klick klient klientel klientin kliff klima klinge klingel klinik klinke
klippe klo kloster klotz kloß klub kluft klumpen klöße knabe knall knast knecht kneipe knete
knick knie kniff knirps knitter knoblauch knochen knolle knopf knospe knoten knöchel knödel
knüller knüppel koala kobold kobra koch koffein koffer koffergurt kohl kohle kohlrabi koje
kokain kokosnuss kolben kolibri kolik kollaps kollege kollegen kollegin kollegium kolonie
kolonne koloss kolumne koma kombi komfort komik komiker komitee komma kommandant kommando
kommentar kommissar kommissarin kommode kommune kommunion kommunist kompagnon kompanie kompass
kompetenz komplex kompliment komplize komponente komponist kompost kompott kompromiss komödie
kondensator konditor konditorei kondolenz kondom konfekt konferenz konfetti konflikt kongress
konjunktur konkurrent konkurrenz konkurs konsens konsequenz konserve konsole konsonant
konsortium konstante konsul konsulat konsum kontakt kontext kontinent kontinuum konto kontrahent
kontrast kontrolle kontrolleur kontroverse kontur konvoi konzept konzern konzert kopf kopfweh
kopie koppel koralle koran korb kordel kordon korken kormoran korn korrektur korrespondent
korridor korsett kortison kosmetik kosmetiker kosmetikerin kosmos kost kosten kostüm kot
kotelett koth kotze krabbe krabbelgruppe krach kraft kragen kralle kram krampf kran kranich
kranke kranz krapfen krater kratzer krause kraut krawall krawatte kreatur krebs kredit kreide
kreis kreisel krematorium kresse kreuz kricket krieg krieger krimi kriminelle krippe krise
kristall kriterium kritik kritiker krokant krokette krokodil krokus krone krug kruste krähe
kröte krücke krümel kuchen kuckuck kufe kugel kuh kulanz kulisse kult kultur kummer kumpel kunde
kunden kundin kunft kunst kupfer kuppel kur kurier kurort kurs kurve kuscheltier kusine kuss
kutsche kutscher kutte kuvert käfer käfig kälte kämpfer känguru käse käufer käuferin köchin
köder könig königin könner körper küche kühler küken kümmel künstler künstlerin kürbis kürze
küste labor laboratorium labyrinth lache lachen lachs lack laden ladung lage lager laib laich
laie laken lakritz laktose lama lametta laminat lamm lampe lampion lan land lanze lappalie
lappen laptop larve lasagne lasche laser lasso last laster latein latenz laterne latsche latte
latz laube lauch lauf laune laus lautstärke lava lavendel lawine layout lazarett lead leasing
leben leber leck leckerli leder legion legionellen legislatur lehm lehne lehre lehrer lehrerin
lehrling leib leiche leichtathletik leid leierkasten leim leine leiste leisten leiter leiterin
lektüre lenker leopard lerche leser lesung lethargie leuchte leuchter leukämie leute lexikon
libelle licht lid liebe liebhaber liebling lied lieferant liege lift liga liguster likör lila
lilie limit limonade lineal linguist linie link linke linoleum linse linsen lippe lira list
liste liter literat literatur litfaßsäule lizenz lkw loadbalancer lob lobby lobbyist loch locher
locke log loge logfile logik login logistik logo logopäde logopädie logopädin lohn loipe lokal
lokführer lokomotive look lorbeer lord los losung lotion lotse lotterie lotto luchs luder luft
luke lump lumpen lunch lunge lupe lurch lust lutscher luxus lymphe lyrik lyriker lächeln länge
lärche lärm läuse löffel lösung löwe lücke lüge lügner machart macher macht machthaber macke
madame made madonna mafia magazin magd magen magie magier magma magnesium magnet mahagoni mahl
mai maiglöckchen mail mails mais majonäse major majoran make-up makel makler maklerin makrele
makulatur mal malaria maler malheur malz mammut manager managerin mandant mandarine mandat
mandel mandoline manege mangel mango manie manko mann mannequin mansarde manschette mantel
manuskript manöver mappe marathon marder margarine marienkäfer marille marinade marine
marionette marke marketing markise markt marmelade marmor marsch marschall marter martini
marzipan masche maschine masern maske maskottchen massage massaker masse masseur mast master
material materie mathe mathematik matjes matratze matrix matrose matsch matte mauer maul maurer
maus mauspad maut maxime maximum mayonnaise maß mechanik mechaniker mechanikerin medaille media
medien medikament medium medizin meer meerschweinchen meeting mehl meile meineid meise meister
meisterin meißel melancholie melatonin melodie melone memo memoiren memorandum menge meniskus
mensa mensch menschen mentor mentorin menü merge merkur mescalin mesh messe messer messing
metall metapher metastase meteor meter methode metro metzger meute middleware mieder mief miene
miete mieter mieterin migrant migräne mikado mikro mikrobe mikrofon mikroskop milbe milch milieu
militär miliz milliarde milliardär millimeter million millionär milz mimik mimose mineral
miniatur minimum minister ministerin ministerium minus minute minze mirabelle misere misstrauen
mist mistel mitbringsel mittag mitte mittel mitternacht mittwoch mixer mobbing mobilfunk
mobiliar mock mode modell moderator moderatorin moderne modul modus mofa mohn mohr molch mole
molekül moll moment monarch monarchie monat monate mond monitor monitoring monogamie monster
montag montage monteur monument moor moos moped mops moral moralist morast morchel mord morgen
morphium mosaik moschee moschus moslem most mostrich motel motiv motor motte motto mozzarella
mrt muffel muffin mulde mullah multi mumie mumps mund mundharmonika murks murmel muschel museum
musical musik musikant musiker musikerin muskat muskel muslim muster mut mutter mutti muße
mysterium mythos mädchen mähdrescher mähne mähre mängelanzeige männchen männer mäppchen märchen
märker märtyrer märz mäzen möbel möhre mönch mörder mörderin mörser mörtel möwe mücke müdig mühe
mühle müll müller mündel münze müsli mütze nabe nabel nachkomme nachlass nachricht nacht
nachtigall nachtrag nachzügler nacken nadel nagel nagetier nahme naht name namensraum namenstag
napf narbe narkose narr narzisse nase nation natter natur naturalie navi navigator nazi nebel
neffe nehmer neid neige nektar nektarine nelke nenner neon nerd nerv nerz nessel nest nestling
netz neubau neugeborene neuling neunziger neurodermitis neutron newsletter nfc nichte nickel
nickerchen niere nieren niesel niete nikotin nilpferd nippel nische niveau nixe nonne nord
norden norm nostalgie not notar notarin note notebook notiz notruf nougat novelle november
nuance nuckel nudel nudist null numerus nummer nuss nutte nutzen nutzer nutzerin nymphe nächste
nähe oase obdach oberin oberst obhut objekt objektiv oblate obmann oboe obst ochse ocker ode
ofen offboarding offerte offizielle offizier ohnmacht ohr oktave oktober olive olivenöl oma
omelett omen omnibus onboarding onkel opa oper opfer opium opportunist oppositionelle optik
optimist optimum option orakel orange orchester orchidee orden ordner oregano organ organigramm
organisator organisatorin organist orgasmus orgel original orkan ornament ort orthese orthopäde
ortung osten osteopath ostern otter outfit ouvertüre oval overall ozean ozon paar pacht packerl
paddel page paillette paket palast palette palme pampelmuse pamphlet panda pandemie panik panne
pantheon panther pantoffel pantomime panzer papa papagei paparazzi papier pappe pappel paprika
papst parabel parade paradies paradigma paradox paragraph parallele paraphrase parasit parfüm
pariser park parkett parlament parmesan parodie parole parser partei partie partikel partitur
partner partnerin party parzelle pascha pass passage passagier passant passiv pasta paste
pastell pastete pastor pastorin patch pate patent pater patient patientin patina patriarch
patriot patrone patrouille patt patzer pauke pauschale pause pavian pavillon pazifist pech pedal
pedant pegel pein peitsche pelikan pelle pelz pendel pendler pendlerin penicillin penis
pennbruder pensionär pensum performance pergament periode peripherie perle perron person
personal perspektive perücke pessimist pest petersilie pfad pfadfinder pfahl pfand pfandleiher
pfanne pfarrei pfarrer pfarrerin pfau pfeffer pfeife pfeil pfeiler pfennig pferd pferdestärke
pfiff pfifferling pfingsten pfirsich pflanze pflaster pflaume pflege pfleger pflegerin pflicht
pflock pflug pforte pforten pfosten pfote pfropfen pfund pfuscher pförtner pfütze phantasie
phantom pharma pharmazie phase philosoph philosophie phishing phobie phosphor photovoltaik
physik physiker physikerin phänomen pianist piccolo pickel picknick pik pilates pilger pilgerin
pille pilot pils pilz pin ping pingpong pinguin pinie pinkel pinsel pinzette pionier pipeline
pirat pirouette pistazie piste pistole pitch pixel pizza pizzeria plage plagiat plakat plakette
plan plane planer planet planke plasma plastik plateau platin platte platten platz playback
playlist pleite plenum plombe plomben plugin plural pluspunkt plüsch po pocken pod podcast
podium poesie poet pointe pointer pokal poker pol pole police polin politesse politik politiker
politikerin politur polizei polizist pollen polster polterabend pommes pony pool pop popcorn
popo pore porree port portal portemonnaie porto portraet porzellan posaune pose possen post
posten poster potential potenz potenzial powerbank pracht praktik praktika praktikant
praktikantin praktiker praktikum praline pranger praxis prediger predigt preis premier premiere
presse prestige priester primel prinz prinzessin prinzip prise prisma privileg probe problem
problematik produkt produzent professor professur profi profil profit prognose projekt projektil
projektor prokurist promenade promille prominente prompt propaganda propeller prophet prosa
prosecco prospekt prostata protestant protokoll protz provinz provisorium proxy prozedur prozent
prozess prunk prädikat prämie prämisse präparat präsens präsent präservativ präsident
präsidentin präsidium prüfer prügel psalm psyche psychiater psychiatrie psychose publikum
pudding pudel puder puff puffer puk pull pulli pullover puls pult pulver pumpe pumps punkt pup
pupille puppe purpur puste pute putsch putz puzzle pyjama pyramide pächter päckchen pädagoge
pädagogik pädagogin püree quadrat quaken qual qualle qualm quappe quarantäne quark quartal
quartier quarz quatsch quecksilber quelle quere query queue quiche quinoa quirl quitte quiz
quorum quote rabatt rabatz rabbiner rabe rache rachen rad radar radiator radiergummi radieschen
radio radius radler radlerin radweg raffinerie rahm rahmen raid rakete rampe ramsch rand randale
rang ranke ransomware ranzen rap rappe raps rasen rasenmäher rasse rassel rassist rast raster
raststätte rasur rat rate ratte ratter raub rauch raucher rauchmelder raum raupe raureif rausch
raute razzia reagenz reaktor realschule rebe rebell rebellion receiver rechen rechner recht
rechte rechteck reck rede redner rednerin refactoring referendar referendariat referendum reflex
reflexion reform refrain regal regatta regel regen regex regie regime regiment region regisseur
regisseurin register registry regler regung reh reha reibe reich reiche reichtum reifen reihe
reim reis reise reisigbesen reiten reiter reiterin reiz rekord rekrut rektor release relief
religion reling reliquie remis rendite rennen renommee rente rentier rentner rentnerin reparatur
repeater repertoire replik reportage reporter reporterin repository repräsentant reptil republik
request reserve residenz resonanz respekt response ressort ressource rest restaurant restore
resultat retoure retrospektive retter rettich reue revanche revier review revolte revolver revue
rezept rezepte rhabarber rhetorik rheuma rhythmik rhythmus richter richterin richtfest
richtlinie richtlinien richtwert riegel riemen riese riester riff rille rind rinde ring ringer
rinne rippe risiko risotto riss ritt ritter ritual ritze ritzel rivale rivalin roadmap roaming
robbe robe roboter robotik rock rocker rodel rodung roggen rohbau rohling rohr roll-up rolladen
rollator rollback rolle roller rollo rollout roman romantik romanze root rose rosette rosine
rosmarin rost rotkehlchen rotz roulade roulette route router rowdy rubel rubin rubrik ruck
rucola rudel ruder ruderer ruf ruhe ruhm ruin ruine rum rumpf rumpsteak runde runner rute
rutsche rätsel räuber röntgen röteln rübe rücken rückgrat rüge rührei rürup rüssel s-bahn saal
saat sabbat sabotage sachbearbeiter sache sachverhalt sachverständige sack sadist safari safe
safran saft sage sahne saison saite sakko sakrament salamander salami salat salbe saldo saline
salon saltinbocca salto salut salve salz salär same samen sammelsurium sammler sammlerin samstag
samt sanatorium sand sandale sandwich sanitäter sanitäterin saphir sardelle sardine sarg
sarkasmus satan satellit satire sattel sattler satz sau sauce saum sauna saurier saus schabe
schablone schach schacht schachtel schaden schaf schaffner schaft schakal schal schale
schalldämpfer schallplatte schalter scham schamane schande schanze schar scharade scharlach
scharnier schaschlik schatten schatz schau schauder schauer schaufel schaukel schaulustige
schaum scheck scheibe scheibenwischer schein scheinwerfer scheitel scheiß scheiße schelle schelm
schelte schema schemel schenke schenkel scherbe schere scherz scheu scheuer scheune scheusal
schicht schicksal schieber schiedsrichter schiene schiff schikane schild schilf schilling
schimmel schimmelbefall schimpanse schinken schirm schlacht schlachter schlacke schlaf schlag
schlager schlagobers schlamm schlampe schlange schlauch schlaufe schleck schleier schleife
schleim schleiß schlemmer schlepper schleuder schleuse schlichter schlick schliff schlinge
schlips schlitten schlitz schloss schlosser schlot schlucht schluck schluckauf schlupfloch
schluss schläfe schläfer schläger schlüpfer schlüssel schmach schmalz schmarren schmaus
schmeichelei schmelz schmerz schmerzen schmetterling schmied schmiede schmiere schminke schmuck
schmuggel schmuggler schmutz schmöker schnabel schnalle schnaps schnatter schnauze schnecke
schnee schneeflocke schneewittchen schneider schneiderin schneise schnippchen schnipsel schnitt
schnitte schnitzel schnorchel schnuller schnupfen schnupperkurs schnur schnurrbart schnäppchen
schnörkel schnüffler schock schokolade scholle schonfrist schopf schorf schorle schornstein
schornsteinfeger schote schotter schoß schramme schrank schranke schraube schraubenzieher
schreck schrei schreiben schreiber schreiner schrift schritt schrott schrubber schrulle schräge
schub schubkarre schublade schubs schuft schuh schuhe schuld schuldner schule schulter schund
schuppe schuppen schurke schuss schuster schutt schutz schutzhelm schwaden schwager schwalbe
schwamm schwan schwangere schwank schwanz schwarm schwarte schwatz schwebe schwefel schweif
schweigen schwein schweizer schweiß schweißer schwelle schwengel schwerbehinderte schwere
schwert schwester schwiegereltern schwiegermutter schwiegersohn schwiegertochter schwiegervater
schwimmer schwindel schwindler schwinge schwips schwitz schwuler schwur schwäche schwägerin
schädel schädling schäfer schäkel schärfe schöffe schöpfer schössling schüler schülerin schürze
schüssel schütze schützling script scrum sechs sechser sechziger secret see seele seelsorger
segel segeln segen segler segment sehen sehne sehnenscheide seide seife seil seite sekret
sekretariat sekretär sekretärin sekt sektor sekundär selbst selbstständige selbständige selfie
sellerie semester semikolon seminar semmel senat senator sender senderin senf senior seniorin
sense sensor sepa separee sequenz serenade serie serpentine serum server service servieren
serviette sessel setup setzer setzling seuche seufzer sex shampoo shell sheriff shirt shitstorm
shop short shorts show sichel sicherheitsgurt sicht sickergrube sieb siebziger siedler sieg
siegel sieger siegerin signal silbe silber silhouette silikon silvester sim sims sinfonie single
sinken sinn sintflut sippe sirene sirup sitte sittich sitz skala skandal skandinavier skateboard
skelett skeptiker ski skifahren skinhead skizze sklave skonto skorpion skript skripte skrupel
skulptur slalom slip slogan smaragd smart smartphone smog smoking snack snapshot snob snowboard
socke sockel socken socket soda sodbrennen sofa sofortmaßnahme software sog sohle sohn soja
solaranlage solarium sold soldat soldatin solist soll sommer sonate sonde song sonne sopran
sorge sorgfalt sorte sortiment souffleur souffleuse soundbar souvenir sozial sozialist soße spa
spachtel spaghetti spalier spalte spam span spange spanier spanner sparer spargel sparte spass
spaten spatz spaß specht speck spediteur speer speiche speichel speicher speise spektakel
spektrum spekulant spelunke spende spender spenderin sperling sperre spesen spezi spezialist
spezialistin spezies sphäre spickzettel spiegel spiegelei spiel spieler spieß spießer spinat
spinne spinner spion spionage spirale spirituose spital spitze spitzel spitzer splitt splitter
sponsor sporn sport sportler sportlerin spot spott sprache spray sprecher sprecherin spreng
spreu sprichwort springer sprint sprit spritze spross sprosse sprotte spruch sprudel sprung
spucke spuk spule spund spur spätzle spüle staat staatsexamen stab stachel stack stacktrace
stadion stadium stadt staffel staffelei staging stahl stakeholder stall stamm stand standard
standup stange stapel stapler star start starter statiker statist statistik stativ statue status
statut stau staub staubsauger staude staunen steak stecker steg stein steinmetz steißbein stelle
stelze stemmeisen stempel stengel steno steppe sterling stern sternschnuppe stethoskop steuer
steward stewardess stich stick sticker stiefbruder stiefel stiefkind stiefmutter stiefmütterchen
stiefschwester stiefsohn stieftochter stiefvater stieg stier stift stigma stil stille stimme
stimulus stint stipendiat stipendium stirn stocherkahn stock stoff stola stollen stolz stopfen
stopp stoppel storch store storno story stotterer stoß strafe strahl strahler strand strapaze
straps strategie strauch strauß straße streaming strecke strecker streich streife streifen
streik streit stremel strenge stress streuer streusel strich stricherl strick strieme string
strippe stroh strohhalm strom strophe strudel struktur strumpf strähne stube stuck student
studentin studie studio studium stufe stuhl stummel stunde stunt stups sturm sturz sturzhelm
stute stutzen städte ständchen ständer stängel stöhnen stöpsel störenfried stück stümper stütze
subjekt substantiv suche sucht sud suite sultan summe sumpf super suppe surfen surfer sushi
sweatshirt symbol sympathie sympathisant symphonie symptom synagoge synapse syndrom synonym
syntax synthese system szenario szene säbel säge sänfte sänger sängerin säufer säugling säule
säure süchtige süd süden südpol sühne sülze sünde sünder tab tabak tabelle tablet tablett
tablette tabletten tabu tacho tacker tadel tafel tag tage tagung taifun taille takt taktik tal
talent taler talisman talk tampon tan tang tank tanne tante tanz tapas tapete tarantel tarball
tarif tartan tasche task tasse tastatur taste tat tatort tattoo tatze tau taube tauchen taucher
taufe taugenichts taumel tausch tausend tauziehen taxe taxi team technik techniker teddy tee
teenager teenie teer teich teig teil teile teilhaber teint telefon telefonat telefonist
telepathie teleskop teller tempel temperament temperatur template tempo tendenz tennis tenor
teppich termin terminal termine termite terpentin terrain terrarium terrasse territorium terror
terrorist terzett test testament tetanus teufel text textilie thailänder theater theke thema
themse theologe theoretiker theorie therapeut therapie therme these thesis thread thriller
thrombose thron thuja thunfisch thymian ticket tiefe tiegel tier tiger timeout tinktur tinte
tipi tipp tirade tisch tischler titel toast toaster tochter tod tofu toilette token toleranz
tollwut tomate tomatenmark tombola ton tonart toner tonne tool topf tor torf tornado torpedo
torso torte tory tote toter tour tourist touristin tracht tracing trafo tragik tragödie trailer
trainer trainerin training traktor tram trampel transfer transistor transparenz transvestit
trapez tratsch traube trauer traufe traum trauma traumatologe trauring trauzeuge trauzeugin
treffen treffer treiber trend treppe tresen tresor treter treue triathlon tribunal tribüne
trichter trick trieb trigger trikot triller trinker trio trip tritt triumph trockner trojaner
troll trolley trommel trommler trompete tropen tropfen trost trottel trottoir trubel trug truhe
trumpf trunk trupp truppe truthahn träger träne träumer trüffel tube tuberkulose tuch tugend
tulpe tumor tumult tuning tunke tunnel tupfer turban turbine turbulenz turm turnen turner
turnerin turnier turteltaube tusche tussi tutorium tweet typ typhus tyrann täter täterin tölpel
tücke tüftler tümpel tüpfel tür tüte u-bahn u-boot ufer uhr ulk ulme ultimatum ultraschall umbau
umfang umfeld umgang umhang umkehr umlauf umlaut umriss umsatz umweg umwelt umzug unding unfall
unfug ungeduld ungeheuer ungeziefer unglück unheil unhold uniform unikum union universum unke
unkraut unmenge unmensch unmut unrat unrecht unruhe unschuld unschuldige unsinn untat
unternehmen unterricht unterschied unterschlupf untier untreue unwetter unwissen unwohlsein
update upgrade upload uptime urahn uranus urenkel urgroßmutter urgroßvater urheber urin urkunde
url urlaub urlauber urlauberin urne uroma uropa ursache urteil urwald urzeit usb user utensilien
utopie vagabund vagina vakuum valentinstag vampir vandale vanille variable variante varieté vase
vater vegan veganer veganerin vegetarier veilchen vene ventil ventilator veranda veranstalter
veranstalterin verantwortliche verb verband verbot verbrecher verbund verbündete verdacht
verdammnis verdeck verderben verdienst verdächtige verehrer verein verfahren verfall verfasser
verfasserin verfolger vergaser vergehen vergessen vergleich vergnügen verhalten verhältnis
verhängnis verhör verkauf verkehr verkäufer verkäuferin verlag verlangen verlauf verleger
verleih verletzte verlobte verlust vermerk vermieter vermieterin vermisste vermittler
vermächtnis vermögen vernunft verputz verrat verräter vers versager versand verschleiß
verschluss verschnitt verschulden verschwinden versicherte versorger versprechen verstand
versteck verstorbene verstoß verständnis verstärker versuch versucher versäumnis verteidiger
verteiler vertrag vertrauen vertraute vertreter vertreterin vertrieb vertriebene vertriebler
verträge verursacher verwalter verwalterin verwandte verweis verzehr verzeichnis verzicht verzug
veteran veterinär veto vetter video vieh vielfalt vierer viertel vietnamese view vignette villa
vinyl violett violine virenscanner virologe virus vision visite visum vitamin vitrine vize vogel
vogelscheuche vokabel vokal volk volleyball volontariat volontär volt volume volumen vorbehalt
vorfahr vorgesetzte vorgängerin vorhaben vorhut vorkommen vorleger vorort vorrat vortag vortrag
vorzug votum voyeur vulkan waage wabe wache wacholder wachs wachstum wachtel wachtmeister waffe
waffel wagen wagenheber waggon wahl wahn wahrsager wahrzeichen waise wal wald wall wallach walze
walzer wampe wand wandel wanderer wanderin wandern wange wanne wanst wanze wappen ware wart
warze wasser watt watte webcam weber website websites wechsel wecker weekly weg wehen wehmut
wehr weib weibchen weichsel weide weidenkätzchen weiher weile wein weis weise weite weizen welle
wellness welpe welt weltall wende wendeltreppe werft werk werkstatt wermut wert wesen wespe
weste westen wettbewerb wette wetter wg whisky wichser wicht wickel widder widerhall wiege wiese
wiki wild wildcard wilderer wildnis wille wimper wind windel windstärke wink winkel winter
winzer winzerin wipfel wippe wirbel wirrwarr wirsing wirt wirtin wissen wissenschaftler
wissenschaftlerin witwe witwer witz witzbold wlan woche wochen wodka woge wohl wohnmobil wolf
wolke wolle wollust wonne worker workflow workshop wort wortlaut wrack wrapper wucher wuchs
wucht wulst wunde wunder wunsch wurf wurm wurst wurzel wut wächter wähler wählerin wärme wärter
wäsche wörter würde würfel würze wüste xylofon yacht yoga zacke zahl zahn zahnstocher zange
zapfen zar zauber zauberer zaumzeug zaun zebra zeche zechkumpan zecke zeder zedern zehe zehner
zeichen zeiger zeile zeit zeitlang zeitvertreib zelle zelt zement zenit zensur zensus zentimeter
zentner zentrale zentrifuge zentrum zepter zeremonie zerfall zertifikat zettel zeug zeuge zeugen
zeugin zeugnis zicke zickzack ziege ziegel ziel ziffer zigarette zigarre zigeuner zikade zimmer
zimmerer zimt zinn zins zinsen zipfel zirkel zirkus zischen zitat zither zitrone zitteraal
zivilcourage zivildienst zivilist zobel zocker zoff zoll zombie zone zoo zopf zorn zote zubehör
zubringer zucchini zucht zucker zufall zufuhr zug zugabe zugang zulage zulauf zulieferer zumba
zuname zunft zunge zupfinstrument zusage zusatz zutat zutun zuverlässig zuversicht zwang zweck
zweifel zweifler zweig zwerchfell zwerg zwetschge zwickmühle zwieback zwiebel zwilling zwinger
zwirn zwist zyklus zylinder zyniker zypresse zähler zäpfchen zögern zöliakie zölibat zöpfchen
züchter zügel zünder zünsler äquator ärger ärgernis ärmel ärztin ästhetik äther äußere öffner
ökonom ökonomie öl öse österreicher übel überschwang übung
`
    .trim()
    .split(/\s+/),
)
