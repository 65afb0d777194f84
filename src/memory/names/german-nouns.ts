// German nouns, which have capital letters as names do. A compound is known by its last part, so
// that some thousand words stand for most of those that everyday texts have.

/** In lower case, mostly singular. */
export const germanNouns: ReadonlySet<string> = new Set(
  `
abend abfahrt abfall abfindung abflug abfluss abfrage abgabe abholung abhängigkeit abitur ablage
ablauf ablehnung ablöse abnahme abnahmeprotokoll abnahmetest abo abrechnung absage absatz
abschied abschlag abschluss abschnitt absprache abstand abteil abteilung abteilungsleiter
abwasser abzug achse adresse affe agentur akku akkuschrauber akte aktenzeichen aktie aktion
aktive akustik alarm album alias alkohol allergie allergien alltag alter alternative altpapier
ambulanz amt analyse ananas anbau anbieter anbindung anfang anfrage anfänger angabe angebot
angst anhang anhangsgröße anhörung ankunft anlage anlass anleihe anleitung anmeldung annahme
anruf anschluss anschlusszug anschreiben anschrift ansicht anspruch antibiotikum antrag antwort
antwortzeit anwalt anwendung anwältin anzahl anzahlung anzeige anzug anästhesist apfel apotheke
app apparat aprikose arbeit arbeiter arbeitgeber arbeitsspeicher arbeitsvertrag arbeitszeugnis
arbeitszimmer architekt archiv arm armatur art artikel arzt asche asphalt ast asthma atem attest
aubergine aufbau auffahrt aufgabe aufhebungsvertrag auflage auflauf aufnahme aufsatz
aufsichtsrat auftrag auftritt aufwand aufzug auge augenarzt aula ausbau ausbildung ausblick
ausdruck ausfall ausfallsicherheit ausflug ausgabe ausgang auskunft ausland auslöser ausnahme
auspuff ausrede ausrüstung aussage ausschuss aussicht aussprache ausstellung austausch auswahl
ausweis auszug auto autobahn autobahnraststätte automat autor autorin avocado axt azubi baby
backend backlog backofen backpulver backup bad badehose badewanne bafög bagger bahn bahncard
bahnhof bahnsteig bakterie balken balkon ball ballett banane band bandbreite bandscheibe bank
bar bargeld bart base basilikum basketball bastelset batterie bau bauamt bauantrag bauch bauer
baum bauplan bausparvertrag baustelle becken bedarf bedingung beerdigung beere befehl befund
beginn begriff behandlung behörde bein beispiel beitrag bekannte beleg belege belegschaft
benutzer benzin beratung bereich berg bericht beruf berufung bescheid bescheinigung beschluss
beschreibung beschwerde besen besitz besitzer bestand bestrahlung bestätigung besuch besucher
beton betonung betrag betreff betreuer betreuerin betrieb betriebsleiter betriebsrat betrug bett
beule beutel bewerber bewerbung bewertung bewohner beziehung bezirk bibliothek biene bier bild
bildschirm binde biologie biotonne birne biss bitte blatt blech blechschaden blick blitz block
blockflöte blume blumenkohl blut blutdruck blutwert boden bogen bohne bohrer bohrmaschine boiler
bonus boot bord bordkarte botanik botschaft box branch brand brandschutz braten brauch braut
brautkleid breite bremsbelag bremse brett brettspiel brezel brief briefkasten brille brokkoli
brot bruch bruder brunnen brust bräutigam brötchen brücke brühe buch buchhaltung buchse
buchstabe bucht buchung bude bug build bund bus busch butter bypass bäcker bühne bündel bürger
büro bürste cache café campingplatz carport cashew cello chance chat chef chefin chemie chemo
chip chirurg cholesterin chor chorprobe client cloud cluster cocktail code cola commit compiler
computer container corona couscous cousin cousine creme cronjob curry dach dachboden dachdecker
dame dampf dank darlehen darm darmspiegelung dashboard datei daten datenbank datum dauer daumen
debugger decke deckel demo denkmal deploy deployment depot depotauszug deutsch deutschlandticket
diabetes diagnose dichtung dieb dienst dienstleister dienstplan diesel diktat ding diplom
direktor dirigent disco diskussion dividende diät dokument domain dose dosis draht dreck dreh
druck drucker duft dunstabzug durchfall durchgang durchmesser durchsatz durst dusche dynamik
dämmung dübel dünger ebene ecke editor ehe ehefrau ehemann ei eier eigentümer
eigentümerversammlung eile eimer einbau einbruch eindruck einfahrt einfall eingang
eingangsbestätigung einkauf einkommen einladung einleitung einnahme einsatz einschreiben
einspruch einstellung eintrag eintritt einwand einzug eis eisen eisenwert eislaufen ekzem
elektriker elektronik eltern elternabend elterngeld elternteil elternzeit email emails ende
endoskopie endpunkt energie enge enkel enkelin ente entscheidung entwickler entwicklerin
entwicklungsumgebung entwurf entzündung erbe erbrechen erbschaft erbse erdbeere erde erdkunde
erdnuss ereignis erfahrung erfolg ergebnis erinnerung erklärung erkältung erlaubnis erlebnis
ersatz ersparnis erwachsene erzieher erzieherin essen essig esszimmer estrich etage etat ethik
euro export fabrik fach faden fahrer fahrerin fahrkarte fahrlehrer fahrplan fahrrad fahrt
fahrzeug fall falle familie fan farbe fass fassade faust fax feature feder federmappe feedback
fehler fehlermeldung feier feierabend feiertag feige feile feind feld feldsalat fell fenchel
fenster ferien fern fernseher fest festplatte feta fett feuer feuerwehr feuerwerk fieber
fieberthermometer figur filiale film filter finale finger firewall firma fisch flasche fleck
fleisch fleischer fleiß fliege fliese fliesenleger flug flughafen flughafenbus flugzeug flur
fluss flöte flüssigkeit folge folger folie fonds forelle form format formel formular forschung
fortgeschrittene foto frage fragebogen framework frau frauen freiheit freitag freizeit fremde
fremdschlüssel freude freund freunde freundin friede frieden friedhof friseur frist fristen
fristverlängerung frontend frosch frost frucht frühbucher frühling frühschicht frühstück fuchs
fund fundament fundbüro funk funktion furcht futter fuß fußball förderung führer führerschein
führung gabel gang garage garantie garnele garten gartenschlauch gartentor gas gasse gast
gastronomie geber gebiet geburt geburtstagskind gebäude gebühr gedanke gedicht geduld gefahr
gefriertruhe gefühl gegend gegensprechanlage gegenstand gegner gehalt gehaltserhöhung geheimnis
gehhilfe gehirn geige geist geld gelenk gemeinde gemüse gepäck gepäckband gericht geruch gerät
gerüst geschenk geschichte geschirr geschirrspüler geschmack geschwister geschäft
geschäftsführer geschäftsführerin geselle gesellschaft gesellschafter gesetz gesicht gespräch
gestalt gestell gesuch getränk gewalt gewerbe gewicht gewinn gewitter gewächshaus gewürz gift
gin gipfel gips girlande girokonto gitarre gitter glas glascontainer glaube gleis gleiswechsel
gluten gläubiger glück gold gott grab grabstein grad grafik gramm grammatik gras grenze griff
grill grippe großeltern großmutter großvater grund grundbuch grundierung grundsteuer grundstück
gruppe gruß größe gurke gut gutachten gutachter gutschein gymnastik gynäkologin gäste
gästezimmer gürtel haar hackfleisch hafen haferflocken haft haftpflicht hagel hahn haken
halbmarathon halle hals halt halter haltestelle hammer hand handball handel handgepäck handtuch
handwerk handwerker handy hang hase haselnuss hass haufen haupt haus hausaufgabe haushalt
hausmeister hausverwaltung haut hautkrebs hebamme heckenschere hefe heft heidelbeere
heilpraktiker heim heimat heizkörper heizung hektik held helfer hemd herbst herd herdplatte
hering herr herren hersteller herz herzschrittmacher heu heuschnupfen hilfe himbeere himmel
hinweis hitze hno hobby hobbyraum hobel hochbeet hochzeit hochzeitstag hockey hof holz
homeoffice homepage honig honorar hort hose hotel hotfix huhn hund hunger husten hustensaft hut
hypothek händler höhe höhle hörer hörgerät hüfte hühner hütte ibuprofen idee igel imbiss
impfausweis impfpass impfstoff impfung import index infekt informatik infusion ingwer inhaber
inhalator inhalt initiative inkasso insel inspektion installateur instrument insulin intercity
interesse internet interpreter interview inventar isolierung isomatte jacke jagd jahr jahresende
jahrhundert job joggen joghurt johannisbeere journal jubiläum judo jugend jugendliche junge jura
jurist kabel kabine kaffee kaffeemaschine kalender kalenderwoche kamera kamin kamm kampf kanal
kandidat kanne kante kantine kanu kanzlei kapital kapitel kappe kapsel karate kardiologe karte
kartenspiel kartoffel karton kasko kasse kassenzettel kassierer kassiererin kasten kater
katheter katze kauf kaution kegel kehle keks keller kellner kenntnis kennzeichen keramik kerl
kern kerze kessel kette keuchhusten keule kichererbsen kies kilo kilometer kind kinder
kindergarten kindergeld kinderzimmer kino kirche kirsche kissen kiste kita kiwi klage
klageschrift klammer klang klappe klasse klassenarbeit klausel klausur klavier kleid kleidung
kleinkind klemme klempner klettern klima klingel klingelschild klinik klub klöße knall knete
knie knoblauch knochen knopf knoten knödel koch koffer koffergurt kohl kohle kollege kollegen
kollegin kollegium komik kommentar kommode kommune kommunion kompetenz kompost komposthaufen
kompromiss komödie konferenz konfirmation konflikt konstante kontakt konto kontrolle konzept
konzert kopf kopfschmerz kopie korb kordel korn kosten kostüm kotflügel kraft kran kranke
krankenhaus krankenkasse krankheit krankmeldung kratzer kraut krebs kredit kreditkarte kreis
kreuz kreuzung krieg krimi kritik krone krücke kuchen kugel kuh kunde kunden kundin kunst kupfer
kur kurklinik kurs kurtaxe kurve kurzarbeit kuss käfer käfig kälte käse käufer könig körper
küche kühlschrank kündigung künstler kürbis küste labor laborwert lachs lack lackierung laden
ladesäule ladung lage lager laktose lamm lampe land landwirtschaft langlauf laptop lasagne last
lastenheft lasttest lastverteiler latenz laterne laube lauch lauf laufwerk laufzeit laune leben
lebenslauf leber leberwurst leder lehre lehrer lehrerin lehrling lehrstelle leichtathletik leid
leine leinwand leiste leistung leiter leiterin leitung lektion lektüre leser leute licht liebe
lied lieferant lieferschein liefertermin lieferung limit limonade linie linsen liste liter
literatur lizenz lob loch log logdatei login logistik logo lohn lokal lokführer luft luftballon
lunge lust länge lärm löffel lösung lücke macher macht magen mahl mahnung mai mail mails makler
maklerin malbuch maler mandant mandarine mandel mangel mango mann mannschaft mantel mappe
marathon marke markt marmelade maschine masern maske masse material mathe mathematik matratze
mauer maus maut maß mechanik mediation medikament medizin meer meeting mehl meile meilenstein
meinung meister meldung melone menge meniskus mensa mensch menschen menü merkmal messe messer
metall meter methode metzger miete mieter mieterin migration migräne mikrowelle milch minijob
minute mischung mitarbeiter mitarbeiterin mitglied mittag mittagspause mitte mittel mitternacht
mixer mode modell moment monat monate monatsende monatskarte monitor monteur moos moral mord
morgen mosaik motor motorrad mozzarella mund musik musikschule muskel muster mut mutter
mutterschutz mädchen männer märchen möbel möhre mücke müll münze müsli mütze nachbar nachbarin
nachbarn nachfrage nachhilfe nachlass nachmittag nachname nachricht nachsitzen nacht nachteil
nachtisch nachtschicht nachweis nadel nagel nahrung name narkose narkosearzt nase natur nebel
nebenkosten neffe nehmer nektarine nerv nest netz netzwerk neurodermitis neurologe newsletter
nichte niederlage norden notar notarin notaufnahme note notfall notiz nudel nummer nuss nutella
nutzen nutzer nähe oberfläche obst ofen offizier ohr olive onboarding onkel oper operation opfer
optik orange orchester ordner ordnung oregano ort orthese orthopäde osten osteopath ostern paar
packung paket paketmanager palette panik panne papier pappe paprika paprikapulver park parkett
parmesan partei partie partition partner partnerin party pass passagier passwort patch pate
patient patientin pause pech penicillin pension person personal perspektive petersilie pfad
pfahl pfand pfanne pfannkuchen pfarrer pfeffer pfeife pferd pfirsich pflanze pflaster
pflasterstein pflaume pflege pfleger pflegerin pflicht pflichtenheft pforte pfund phase
philosophie photovoltaik physik physiotherapeut pickel pille pilot pilz pinsel pipeline pizza
plan platte platten platz platzhalter plugin podium pokal police politik polizei polizist
polster polterabend portal portion porto posaune post posten postfach praktikant praktikantin
praktikum praxis preis presse primärschlüssel prinzip prise probe probezeit problem produkt
produktion produktivsystem professor profi profil programm projekt prokurist prosecco prothese
protokoll protokolldatei prototyp provision proxy prozent prozess prämie präsentation prüfer
prüfung psychologe psychologie publikum pull pullover pulver pumpe punkt puppe putz puzzle
pädagogik qual qualität quark quartal quartalsende quartier quelle quelltext query queue quinoa
quittung rabatt rad radieschen radio radtour rahmen rahmenvertrag rakete rand rang rasen
rasenmäher rat rate rathaus ratte raub rauch raum reaktion rechner rechnung recht rechte
rechtsschutz rede refactoring regal regel regen region regionalbahn regler regressionstest reh
reha reifen reihe reihenfolge reis reise reiseapotheke reisekosten reisepass reiten reiter reiz
reizhusten reklamation rektor rekursion release religion rennen rente rentenversicherung rentner
rentnerin reparatur replik replikation repository reserve reservierung rest restaurant restmüll
resultat retrospektive rettung rettungsdienst review rezept rezepte richter richterin richtfest
richtlinie richtung riemen rind ring riss ritual robotik rock roggen rohbau rohr rohrbruch
rollback rolle rollo rollout rollstuhl roman rose rosenkohl rosine rosmarin rost route router
rubrik rucksack rucola ruf ruhe ruine rum runde rutsche röntgen rückblick rücken rückenschmerz
rückflug rückgabe rücklage rückruf rückseite rückstand rückzahlung rückzug s-bahn saal
sachbearbeiter sache sack saft sahne saison salami salat salbe salz same samen sammlung sand
sanierung satz sau sauce sauna schach schaden schadensmeldung schaf schaffner schal schale
schalter schaltung schatten schatz schauer schaum schauspieler scheck scheibe scheibenwischer
schein schema schenkung schere scherz schicht schichtplan schicksal schiff schild schinken
schirm schlaf schlafsack schlafzimmer schlag schlagzeug schlange schlauch schleife schleifpapier
schlichtung schlitten schloss schlosser schluck schluss schlüssel schmerz schmerzen schmuck
schmutz schnabel schnaps schnecke schnee schneider schnelltest schnitt schnittlauch
schnittstelle schnitzel schnupfen schnur schock schokolade schonung schorle schotter schrank
schraube schreck schreiben schreibtisch schreiner schrift schritt schubkarre schuh schuhe
schulanfang schuld schuldner schule schulhof schulranzen schulter schulung schuppen schuss
schutz schwager schwamm schwanz schwein schweißer schwester schwiegereltern schwiegermutter
schwiegervater schwimmbad schwimmer schwimmkurs schwindel schwägerin schüler schülerin schüssel
script see seele segel segeln seide seife seil seite sekretärin sekt sektion sekunde selbst
selbstbeteiligung sellerie seminar sendung senf senior serie server service sessel
sicherheitskontrolle sicherung sicherungskasten sicht sieb sieg signal silber silvester sinn
sitte sitz sitzplatz sitzung skala skifahren skizze skonto skript skripte socke sodbrennen sofa
software sohn solaranlage sommer sommerreifen sonde sonderumlage sonne sonnencreme sorge sorte
sozialpädagogik soziologie spachtel spalte spamfilter spannung spargel sparplan spaten spatz
spaß speck speicher speicherleck speicherplatz speise sperre sperrmüll spesen spiegel spiel
spieler spielplatz spielzeug spinat spinne spitze sport sportler sprache sprachkurs spray
sprecher sprint sprintplanung spritze spruch sprudel sprung spur spätschicht spätzle
spülmaschine staat staatsanwalt stab stacktrace stadt stahl stall stamm stand standesamt
standort standup stapel star start statiker station statistik status stau staub staubsauger
steak steckdose steckdosenleiste stecker stein stelle stellplatz stempel stengel stern steuer
steuerberater steuerberaterin steuererklärung stich stick stiefel stieg stift stille stimme
stimmung stipendium stirn stock stoff stolz story stoßstange strafe strahl strand strategie
strauch strauß straße straßenbahn strecke streich streifen streik streit stress strich stroh
strom struktur strumpf student studentin studie studio studium stufe stuhl stunde stundenlohn
stundenplan stundensatz sturm sturz städte stück subdomain suche suchindex sucht summe suppe
surfen symptom system szene säge sänger säugling säule süden tabelle tablett tablette tabletten
tafel tag tage tal talent tank tankstelle tanne tante tanz tapas tapete tarif tarifvertrag
tasche taschengeld task tasse tastatur taste tat tatsache taube tauchen taufe taxi team technik
techniker tee teenager teig teil teile teilkasko teilnehmer teilnehmerin telefon teller
temperatur template tempo tennis teppich termin termine terrasse test testament testdaten
testfall testumgebung tetanus text theater thema theorie therapeut therapie therme thermomix
thermostat these thread thron thunfisch thymian ticket tiefe tiefgarage tier tierarzt tierärztin
timeout tinte tipp tisch tischtennis titel toaster tochter tod tofu toilette token tomate ton
tonne tool topf tor torte tour tourismus tradition tragik trainer trainerin training transaktion
transport traube trauer trauerfeier traum trauung trauzeuge trauzeugin treffen treppe
treppenhaus treue triathlon trick trinkgeld trockenbau trockner trompete tropfen trost trunk
träger tuch tugend tumor turm turnen turnhalle turnier täter tür tüte u-bahn ufer uhr
ultraschall umbau umfang umfrage umgebung umlauf umlaut umsatz umschlag umstand umstellung umweg
umwelt umzug unfall universität unkraut unruhe unterhalt unterkunft unterlage unterlagen
unternehmen unterricht unterschied unterschrift untersuchung update upgrade urkunde urlaub
urlaubsvertretung urologe ursache urteil vanille variable vase vater vegan vegetarier
vegetarismus verband verbindung verbot verbrauch verdacht verein vererbung verfahren vergleich
vergleichsangebot vergnügen verhalten verhandlung verhältnis verkauf verkehr verkäufer
verkäuferin verlag verlauf verletzung verlust verlängerungskabel vermieter vermieterin vermögen
vernunft versand verschluss versicherung version versprechen verspätung verstand verstopfung
versuch verteiler vertrag vertreter vertreterin vertretung vertrieb verträge verwalter
verwalterin verwandte video videospiel vieh viertel vignette virus visum vitamin vogel vokabel
volk volleyball vollkasko vollmacht volltextsuche volumen vorarbeiter vorbereitung vordergrund
vorfall vorgang vorgesetzte vorhang vorlage vorname vorrat vorschlag vorschrift vorschuss
vorsicht vorsitz vorsitzende vorsorge vorsprung vorstand vorstellung vorteil vortrag vorwand
vorwurf waage wache wachs wachstum waffe waffel wagen wahl wahrheit wald wallbox walnuss wand
wandern wanderung wange ware warnung wart warteschlange wartung warze waschküche waschmaschine
wasser wasserhahn wasserkocher wasserwaage watte webhook webseite website wechsel weg wehr weide
weihnachten wein weise weite weizen welle welt wende werbung werk werkstatt werkvertrag werkzeug
wert wertstoffhof wesen westen wettbewerb wette wetter whisky widerruf widerspruch wiese wille
wind windel windpocken winkel winter winterreifen wirkstoff wirkung wirt wirtschaft wissen witwe
witwer witz woche wochen wochenende wodka wohngeld wohnmobil wohnung wohnwagen wohnzimmer wolf
wolke wolle workflow workshop wort wunde wunder wunsch wurm wurst wurzel wut wärme wärmepumpe
wäsche wörter würfel wüste zahl zahlung zahn zahnarzt zahnärztin zange zaun zaunpfahl zebra zehe
zeichen zeichnung zeile zeit zeitung zelle zelt zement zensur zentrum zertifikat zeuge zeugen
zeugnis zeugnisausgabe ziege ziegel ziegelstein ziel zigarette zimmer zimmerer zimt zins zinsen
zitrone zoll zollstock zone zoo zorn zubehör zucchini zucker zug zugang zugfahrt zukunft zulage
zunge zusage zusammenfassung zusatz zuschlag zuschuss zustand zustimmung zutritt zuverlässig
zwang zweck zweifel zweig zwerg zwiebel zwilling zwischenlandung zwischenspeicher
zwischenzeugnis zylinder zähler zäpfchen zöliakie zündkerze ärztin öl ölwechsel übelkeit
überblick übergabe übernahme überraschung überschuss überschwemmung überstunde überstunden übung
`
    .trim()
    .split(/\s+/),
)
