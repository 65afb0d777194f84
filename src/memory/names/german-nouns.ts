// German nouns, which have capital letters as names do. A compound is known by its last part, so
// that some thousand words stand for most of those that everyday texts have.

/** In lower case, mostly singular. */
export const germanNouns: ReadonlySet<string> = new Set(
  `
abend abfahrt abfall abflug abgabe abholung abitur ablage ablauf ablehnung abnahme abo
abrechnung absage absatz abschied abschlag abschluss abschnitt absprache abstand abteil
abteilung abwasser achse adresse affe agentur akku akte aktie aktion alarm album allergie alltag
alter amt analyse anbau anbieter anbindung anfang anfrage angabe angebot angst anhang ankunft
anlage anlass anleitung anmeldung annahme anruf anschluss anschrift ansicht anspruch
antibiotikum antrag antwort anwalt anwendung anwältin anzahl anzahlung anzeige anzug apfel
apotheke app apparat aprikose arbeit arbeiter arbeitgeber architekt archiv arm armatur art
artikel arzt asche ast asthma atem attest aufbau auffahrt aufgabe auflage auflauf aufnahme
auftrag auftritt aufwand aufzug auge aula ausbau ausbildung ausblick ausdruck ausfall ausflug
ausgabe ausgang auskunft ausland auslöser ausnahme ausrede ausrüstung aussage ausschuss aussicht
ausstellung austausch auswahl ausweis auszug auto autobahn automat autor autorin axt azubi baby
backup bad badewanne bagger bahn bahnhof bahnsteig balken balkon ball banane band bandscheibe
bank bar bargeld bart base batterie bau bauch bauer baum becken bedarf bedingung beere befehl
befund beginn begriff behandlung behörde bein beispiel beitrag bekannte beleg belege benutzer
beratung bereich berg bericht beruf bescheid bescheinigung beschluss beschreibung beschwerde
besen besitz besitzer bestand bestätigung besuch besucher beton betrag betreff betreuer
betreuerin betrieb betrug bett beule beutel bewerber bewerbung bewertung bewohner beziehung
bezirk bibliothek biene bier bild bildschirm binde birne biss bitte blatt blech blick blitz
block blume blut blutdruck boden bogen bohne bohrer boot bord botschaft box branch brand
brandschutz braten brauch breite bremse brett brief briefkasten brille brot bruch bruder brunnen
brust brötchen brücke brühe buch buchhaltung buchse buchstabe bucht buchung bude bug build bund
bus busch butter bühne bündel bürger büro bürste cache café chance chat chef chefin chip
cholesterin chor client cloud code commit computer container cousin cousine creme dach dame
dampf dank darm dashboard datei daten datenbank datum dauer daumen decke deckel demo deploy
deployment depot deutsch diabetes diagnose dichtung dieb dienst dienstleister diesel ding diplom
direktor disco diskussion diät dokument dose dosis draht dreck dreh druck drucker duft durchfall
durchgang durchmesser durst dusche dübel dünger ebene ecke ehe ehefrau ehemann ei eier eile
eimer einbau einbruch eindruck einfahrt einfall eingang einkauf einkommen einladung einleitung
einnahme einsatz einspruch einstellung eintrag eintritt einwand einzug eis eisen elektriker
eltern elternabend elternteil elternzeit email emails ende endpunkt energie enge enkel enkelin
ente entscheidung entwickler entwicklerin entwurf erbe erbse erde erdnuss ereignis erfahrung
erfolg ergebnis erinnerung erklärung erkältung erlaubnis erlebnis ersatz ersparnis essen essig
etage etat euro export fabrik fach faden fahrer fahrerin fahrplan fahrrad fahrt fahrzeug fall
falle familie fan farbe fass fassade faust fax feature feder feedback fehler feier feiertag
feige feind feld fell fenster ferien fern fernseher fest fett feuer feuerwehr fieber figur
filiale film filter finale finger firma fisch flasche fleck fleisch fleiß fliege fliese flug
flughafen flugzeug flur fluss flöte flüssigkeit folge folie form format formel formular
forschung foto frage fragebogen framework frau frauen freiheit freitag freizeit fremde freude
freund freunde freundin friede frieden friedhof friseur frist fristen frosch frost frucht
frühling frühstück fuchs fund funk funktion furcht futter fuß förderung führer führerschein
führung gabel gang garage garantie garten gas gasse gast gebiet geburt gebäude gebühr gedanke
gedicht geduld gefahr gefühl gegend gegenstand gegner gehalt geheimnis gehirn geist geld gelenk
gemeinde gemüse gepäck gericht geruch gerät geschenk geschichte geschirr geschmack geschwister
geschäft gesellschaft gesetz gesicht gespräch gestalt gestell gesuch getränk gewalt gewerbe
gewicht gewinn gewitter gewürz gift gipfel gips gitarre gitter glas glaube gleis gluten glück
gold gott grab grad gramm gras grenze griff grill grippe großeltern großmutter großvater grund
gruppe gruß größe gurke gut gutachten gutschein gäste gürtel haar hafen haft hagel hahn haken
hals halt haltestelle hammer hand handel handtuch handwerker handy hang hase hass haufen haupt
haus haushalt haut hebamme heft heim heimat heizkörper heizung held helfer hemd herbst herd herr
herren hersteller herz heu hilfe himmel hinweis hitze hobby hochzeit hof holz homepage honig
honorar hort hose hotel huhn hund hunger husten hut höhe höhle hörer hüfte hühner hütte
ibuprofen idee igel imbiss impfpass impfung import index inhalt insel instrument interesse
internet interview inventar jacke jagd jahr jahresende jahrhundert job joghurt jubiläum jugend
junge jurist kabel kabine kaffee kalender kalenderwoche kamera kamin kamm kampf kanal kandidat
kanne kante kantine kanzlei kapital kapitel kappe karte kartoffel karton kasse kassenzettel
kasten kater katze kauf kaution kegel kehle keks keller kellner kenntnis kennzeichen kerl kern
kerze kessel kette keule kilo kilometer kind kinder kindergarten kino kirche kirsche kissen
kiste kita klage klammer klang klappe klasse klausel klausur klavier kleid kleidung klemme klima
klingel klinik klub knall knie knochen knopf knoten koch koffer kohl kohle kollege kollegen
kollegin kommode kommune kompetenz kompost kompromiss komödie konferenz konflikt kontakt konto
kontrolle konzept konzert kopf kopie korb kordel korn kosten kostüm kraft kran kranke
krankenhaus krankenkasse krankheit kratzer kraut kredit kreditkarte kreis kreuz kreuzung krieg
krimi kritik krone kuchen kugel kuh kunde kunden kundin kunst kupfer kur kurs kurve kuss käfer
käfig kälte käse käufer könig körper küche kühlschrank kündigung künstler küste labor lack laden
ladung lage lager laktose lamm lampe land laptop last laterne lauch lauf laufwerk laune leben
leber leder lehre lehrer lehrerin leid leine leinwand leiste leistung leiter leiterin leitung
lektion lektüre leser leute licht liebe lied lieferant lieferschein liefertermin lieferung limit
linie liste liter lizenz lob loch log login logo lohn luft lunge lust länge lärm löffel lösung
lücke macht magen mai mails makler maklerin maler mandant mangel mann mannschaft mantel mappe
marke markt maschine maske masse material mathe matratze mauer maus maß medikament meer meeting
mehl meile meinung meister meldung melone menge meniskus mensch menschen menü messe messer
metall meter methode miete mieter mieterin migration milch minute mischung mitarbeiter
mitarbeiterin mitglied mittag mitte mittel mitternacht mode modell moment monat monate
monatsende monitor monteur moos moral mord morgen motor motorrad mund musik muskel muster mut
mutter mädchen männer märchen möbel möhre mücke müll münze mütze nachbar nachbarin nachbarn
nachfrage nachhilfe nachmittag nachname nachricht nacht nachteil nachtisch nachweis nadel nagel
nahrung name narkose nase natur nebel nebenkosten neffe nerv nest netz netzwerk newsletter
nichte niederlage norden notar notarin note notfall notiz nudel nummer nuss nutzen nutzer nähe
oberfläche obst ofen offizier ohr olive onboarding onkel oper operation opfer optik orange
orchester ordner ordnung ort osten ostern paar packung paket palette panne papier pappe paprika
park parkett partei partie partner partnerin party pass passagier passwort pate patient
patientin pause pech penicillin pension person personal pfad pfand pfanne pfarrer pfeffer pfeife
pferd pflanze pflaster pflaume pflege pflicht pforte pfund phase pille pilot pilz pinsel
pipeline pizza plan platte platten platz platzhalter plugin podium police politik polizei
polster portion porto post posten praktikant praktikantin praktikum praxis preis presse prinzip
prise probe problem produkt produktion professor profi profil programm projekt protokoll
provision prozent prozess prämie präsentation prüfer prüfung psychologe publikum pull pullover
pulver pumpe punkt puppe putz qual qualität quartal quartalsende quartier quelle query queue
quittung rabatt rad radio rahmen rand rang rasen rat rate rathaus ratte raub rauch raum reaktion
rechner rechnung recht rechte rede refactoring regal regel regen region regler reh reihe
reihenfolge reis reise reisepass reiter reiz reklamation rektor release rennen rente rentner
rentnerin reparatur repository reserve rest restaurant resultat rettung review rezept rezepte
richter richtlinie richtung riemen rind ring riss rock roggen rohr rollback rolle rollo roman
rose rost route router rucksack ruf ruhe ruine runde rutsche rücken rückflug rückgabe rückruf
rückseite rückstand rückzahlung rückzug saal sache sack saft sahne saison salat salbe salz same
samen sammlung sand sanierung satz sau sauce sauna schaden schaf schal schale schalter schaltung
schatten schatz schauer schaum schauspieler scheck scheibe schein schema schere scherz schicht
schichtplan schicksal schiff schild schinken schirm schlaf schlag schlange schlauch schleife
schloss schluck schluss schlüssel schmerz schmerzen schmuck schmutz schnabel schnecke schnee
schnitt schnittstelle schnitzel schnupfen schnur schock schokolade schonung schrank schraube
schreck schreiben schreibtisch schreiner schrift schritt schuh schuhe schulanfang schuld schule
schulter schulung schuss schutz schwager schwamm schwanz schwein schwester schwiegereltern
schwiegermutter schwiegervater schwimmbad schwimmer schwimmkurs schwägerin schüler schülerin
schüssel script see seele segel seide seife seil seite sekretärin sekt sektion sekunde seminar
sendung senf senior serie server service sessel sicherung sicht sieb sieg silber silvester sinn
sitte sitz sitzung skizze skript skripte socke sofa software sohn sommer sonde sonne sorge sorte
spalte spannung spaten spatz spaß speck speicher speise spiegel spiel spieler spielplatz
spielzeug spinat spinne spitze sport sportler sprache sprachkurs spray sprecher sprint spritze
spruch sprung spur staat stab stadt stahl stall stamm stand standort standup stapel star start
station statistik status stau staub steak steckdose stecker stein stelle stellplatz stempel
stengel stern steuer steuerberater steuerberaterin steuererklärung stich stick stiefel stift
stille stimme stimmung stipendium stirn stock stoff stolz strafe strahl strand strategie strauch
strauß straße strecke streich streifen streik streit stress strich stroh strom struktur strumpf
student studentin studie studio studium stufe stuhl stunde stundenlohn stundensatz sturm sturz
städte stück suche sucht summe suppe symptom system szene säge sänger säule süden tabelle
tablett tablette tabletten tafel tag tage tal talent tank tanne tante tanz tapete tasche task
tasse tastatur taste tat tatsache taube taxi team technik techniker tee teig teil teile
teilnehmer teilnehmerin telefon teller temperatur template tempo teppich termin termine terrasse
test text theater thema theorie therapeut therapie thermostat these thread thron ticket tiefe
tier tierarzt tierärztin timeout tinte tipp tisch titel tochter tod toilette token tomate ton
tonne tool topf tor torte tour tradition trainer trainerin training transport traube trauer
traum treffen treppe treue trick trockner tropfen trost trunk tuch tugend turm turnhalle turnier
täter tür tüte ufer uhr umbau umfang umfrage umgebung umlauf umsatz umschlag umstand umstellung
umweg umwelt umzug unfall universität unkraut unruhe unterhalt unterkunft unterlage unterlagen
unternehmen unterricht unterschied unterschrift untersuchung update upgrade urkunde urlaub
ursache urteil vase vater vegan vegetarier verband verbindung verbot verbrauch verdacht verein
verfahren vergleich vergnügen verhalten verhältnis verkauf verkehr verkäufer verkäuferin verlag
verlauf verletzung verlust vermieter vermieterin vermögen vernunft versand verschluss
versicherung version versprechen verstand versuch vertrag vertreter vertreterin vertrieb
verträge verwalter verwalterin verwandte video vieh viertel vitamin vogel volk volumen
vorbereitung vordergrund vorfall vorgang vorgesetzte vorhang vorlage vorname vorrat vorschlag
vorschrift vorschuss vorsicht vorsitz vorsorge vorsprung vorstand vorstellung vorteil vortrag
vorwand vorwurf waage wache wachs wachstum waffe wagen wahl wahrheit wald wand wanderung wange
ware warnung wartung waschmaschine wasser watte webseite website wechsel weg wehr weide
weihnachten wein weise weite weizen welle welt wende werbung werk werkstatt werkzeug wert wesen
westen wettbewerb wette wetter wiese wille wind windel winkel winter wirkstoff wirkung wirt
wirtschaft wissen witwe witwer witz woche wochen wochenende wohnung wolf wolke wolle workflow
workshop wort wunde wunder wunsch wurm wurst wurzel wut wärme wäsche wörter würfel wüste zahl
zahlung zahn zahnarzt zahnärztin zange zaun zebra zehe zeichen zeichnung zeile zeit zeitung
zelle zelt zement zensur zentrum zeuge zeugen zeugnis ziege ziegel ziel zigarette zimmer zins
zinsen zitrone zoll zone zoo zorn zubehör zucker zug zugang zukunft zulage zunge zusage
zusammenfassung zusatz zuschlag zuschuss zustand zustimmung zutritt zwang zweck zweifel zweig
zwerg zwiebel zylinder zöliakie ärztin öl überblick übergabe übernahme überraschung überschuss
überschwemmung überstunden übung
`
    .trim()
    .split(/\s+/),
)
