// German words other than nouns that start sentences and headings. Their number in a text also
// tells German from English.

/** In lower case. */
export const germanWords: ReadonlySet<string> = new Set(
  `
abends aber ach acht achtung alle allein alles als also alte alten alter altes am an andere
anders anfangs angeblich anruf anscheinend auch auf aus außerdem bald baue beachte bei beide
beim bereits besonders besser bestes bis bisher bitte bring bzw ca circa da dabei dadurch dafür
dagegen daher dahin damals damit danach daneben danke dann daran darauf daraus darin darum
darunter darüber das dass davon davor dazu dein deine deinem deinen deiner dem demnächst den
denen denk denke denn dennoch der deren derzeit des deshalb desto deswegen dich die dienstags
dies diese diesem diesen dieser dieses dir doch donnerstags dort drei du durch ebenso eigentlich
ein eine einem einen einer eines einige einmal endlich entweder er erinnere erst erstens es etc
etwa etwas euch euer eure eventuell evtl fahre falls fast folgendes frag frage freitags früher
frühestens fünf für gab ganz ganzes gar gegen gegenüber gehe geht genau gern gestern ggf gibt
ging gleich große großen großer großes grundsätzlich gute guten guter gutes habe haben halbes
hallo hat hatte heute heutzutage hi hier hierfür hiermit hinter hinweis hoffentlich hol hätte
höchstens ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in indem info infolge inkl
inzwischen irgendwann ist ja jede jedem jeden jeder jedes jedoch jemand jene jetzt kam kann kauf
kaum kein keine keinem keinen keiner kleine kleiner kleines komme kommt können könnte künftig
lange lass lasst laut leider letzte letzten letzter letztes liebe lieber mach macht man manche
manchmal mehr mein meine meinem meinen meiner meist meistens mich mindestens mir mit mittags
mittlerweile mittwochs montags morgen morgens muss möglicherweise müssen nach nachdem nachher
nachmittags nachts natürlich nein neue neuen neuer neues neuestes neun nicht nichts nie niemals
niemand nimm noch normalerweise notiz nun nur nutze nutzen nächste nächsten nächster nächstes
nötiges ob obwohl oder offenbar oft ohne per plötzlich pro prüfe ruf rund sag samstags schick
schreib sechs sehr seid sein seine seinem seinen seiner seit seitdem selbst sich sie sieben
siehe sind so sobald sofern sogar solange soll sollen sollte somit sondern sonntags sonst sowie
später spätestens statt steht stets such tatsächlich termin teste treffen trotz trotzdem um und
ungefähr uns unser unsere unserem unseren unserer unter usw vergiss vermutlich verwende viel
viele vielen vielleicht vier vom von vor vorgestern vorher vorhin vormittags wahrscheinlich wann
war waren warum was weder wegen weil weiter weitere weiteres welche welchem welchen welcher
welches wem wen wenig wenige wenn wer werde werden weshalb wessen wichtig wichtiges wie wieder
wir wird wo wohin wollen worauf wurde wurden während würde zehn zu zudem zuerst zuletzt zum zur
zurzeit zusammen zusätzlich zwar zwei zweitens zwischen zwölf zzgl über überall übermorgen
übrigens übriges
`
    .trim()
    .split(/\s+/),
)

/** Further adverbs, adjectives and verbs that sentences begin with. In lower case. */
export const germanStarts: ReadonlySet<string> = new Set(
  `
ab abermals absolut abwechselnd aktuell allem allenfalls allerdings allerseits allmählich allzu
alsbald alsdann andererseits anderswo anderthalb anfänglich angenommen angesichts anhand
ansatzweise anschließend ansonsten anstatt anstelle anstrengend arg aufgrund aufmerksam
augenblicklich ausdrücklich auseinander ausgerechnet ausgezeichnet ausnahmsweise auswärts
automatisch außen außer außerhalb außerordentlich beachtlich bedauerlicherweise begeistert
beginnend beiderseits beides beinahe beispielsweise bekannt bekanntlich bereit beruflich besagte
besetzt besorge bestell bestelle bestenfalls bestimmt betreffend betreffs bezahl bezahle
bezüglich billig bin bleib bleibt bloss bloß blöd brauche brauchen brauchst braucht breit bringe
bringen bringt buche buchen bucht böse daheim dahinter damalig dank dankbar daraufhin darf
darfst darüberhinaus dazwischen denkbar derart dergleichen dermaßen derselbe desgleichen
deutlich dicht diesbezüglich diesmal diesseits direkt donnerstagabend doppelt dorthin drauf
draußen dreimal drin dringend drinnen droben drunter drüben dumm dunkel durchaus
durchschnittlich dünn dürfen dürfte eben ebenda ebenfalls ebensowenig egal ehemals eher ehrlich
eigens eilig einerseits einfach einheitlich einig einiges einst einstweilen einverstanden
einwandfrei einzeln einzig elend empfehlenswert eng entgegen entlang entscheidend entschuldige
entsprechend erfahrungsgemäß erfreulich erfreulicherweise erinnern erledige erledigt erneut
ernsthaft erstaunlich erstmal erstmals erwartungsgemäß extrem faktisch falsch faul fehlen fehlt
feierabends fein fertig fest finde finden findet folgend folglich fraglich frei freilich fremd
freundlich frisch froh früh führt füllt fünfmal ganztägig gebe geben gebucht geehrte gefragt
gefunden gefällt gegebenenfalls gehört gekauft geklärt gelegentlich gelernt gelesen gemacht
gemeinsam gemeldet gemäß genauso genug geplant gerade geradeaus geradezu geringfügig gesamt
geschafft geschickt gesehen gestellt gesucht gesund getrennt getroffen gewiss gewissermaßen
gewöhnlich gezahlt glaube glauben gleichermaßen gleichfalls gleichwohl gleichzeitig glücklich
glücklicherweise gottseidank grob großartig gäbe günstig hab habt halb halt halte halten hart
hast heimlich heiß her heraus herein herum herunter herzlich herzlichen hie hieran hierauf
hieraus hierbei hierdurch hierher hierin hierunter hiervon hierzu hierüber hin hinaus hinein
hingegen hinten hinterher hinunter hinzu hoch hält häufig höchst höre hören hört idealerweise
illegal infolgedessen inmitten innen innerhalb insbesondere insgesamt insofern interessant
interessanterweise inwiefern inwieweit irgendwas irgendwem irgendwer irgendwie irgendwo
irgendwohin jahrelang jawohl je jedenfalls jederzeit jedesmal jedwede jemals jenseits jeweils
jährlich kalt kamen kannst kaufe kaufen kauft keinesfall keinesfalls keineswegs kennt klar
klarer kläre klären knapp komisch kommen kommst konkret konnte konnten kostenlos kostet krank
kurz kurzerhand kurzfristig könnt kümmere kürzlich lag langfristig langsam lauter lebt lecker
ledig leer lege legen leicht leise lern lernt lese lest lieb liebend liebsten liegen liegt lies
liest links locker lohnt los lustig längerfristig längst machten mag magst mal massiv maximal
meinetwegen meinst meint meinte melde melden meldet merk merke merken miteinander mithilfe
mitsamt mittelfristig mittels mitten mitunter momentan monatelang monatlich musste mussten
möchte möchten mögen möglich möglichst müde mühsam müsste na nacheinander nachträglich
nachweislich nah nahe nahezu namens namentlich nass neben nebenan nebenbei nebenher nett
neuerdings neulich nichtsdestotrotz niedrig nimmt nirgends nirgendwo nochmal nochmals normal
notfalls notiere nunmehr nämlich nördlich nötig nötigenfalls oben obendrein oberhalb obgleich
obschon offen offensichtlich offiziell online ordentlich paar pack packe peinlich perfekt
persönlich plane plant praktisch prima privat probier probiere provisorisch pünktlich quasi quer
recht rechts rechtzeitig regelmäßig reich rein relativ reserviere reserviert richtig riesig
ringsum rufe rufen ruft ruhig rundum rückwirkend rückwärts samt sauber sauer schade schau schaue
schaut scheinbar schicke schicken schickt schlecht schlicht schließlich schlimm schlimmstenfalls
schnell schnellstens schon schreibe schreiben schreibt schriftlich schwer schwierig schön schöne
schönen schöner schönes sechsmal sehen sei seien seinerseits seinerzeit seitens seitlich
seitwärts selber selbstverständlich selten seltsam sicher sicherheitshalber sicherlich sieh
sieht sodann sofort sogenannte sogleich solch solche solchen solcher solches sollt sollten
sonstig sonstige sonstiges soviel soweit sowieso sowohl spannend speziell spontan spät stark
starten startet stattdessen stelle stellen stellt still stimmt streng ständig stündlich suche
suchen sucht super sämtlich sämtliche sämtlicher südlich süß tags tagsüber teilweise telefonisch
testen teuer theoretisch tief tja toll top total traurig treffe trifft trocken tue tun tut
typisch täglich umgehend umgekehrt umsonst unabhängig unangemeldet unbedingt unbekannt
unerwartet ungern ungewollt ungewöhnlich unglaublich unheimlich unklar unmittelbar unmöglich
unnötig unten unterdessen untereinander unterhalb unterwegs unvorstellbar unwahrscheinlich
unzählige urlaubsbedingt ursprünglich verboten verdammt vereinbart vergangene vergangenen
vergangener vergangenes vergebens vergeblich vergessen vergleich verkaufe verkauft verlängere
verlängert verschieden verschiedene verschlossen verständlicherweise versuch versuche
verzweifelt vielerorts vielmals vielmehr viermal voll vollständig vorab voran vorausgesetzt
voraussichtlich vorbehaltlich vorbei vorerst vorhanden vorletzte vorletzten vorletzter
vorletztes vorläufig vormals vorn vorne vornehmlich vorrangig vorsichtig vorsichtshalber
vorsorglich vorwiegend vorwärts vorzeitig vorübergehend völlig wach wahlweise wahr wahrlich warm
warst warte warten weg weich weit weiterhin weitgehend weiß welch wenigstens werdet werktags
westlich weswegen wiederholt wiederum wieso willst wirklich wirst wisst wobei wodurch wofür
wogegen woher wollt wollte wollten womit womöglich woran woraus worin worum worüber wovon wozu
wunderbar wundervoll wurd wusste wäre wären wöchentlich würden zahl zahle zahlen zahlt zeig
zeige zeigt zeitgleich zeitlich zeitnah zeitweise zieh zieht ziemlich zig zuallererst zueinander
zufrieden zufällig zugegeben zugleich zugunsten zuhause zuhinterst zukünftig zumal zumeist
zumindest zunächst zurück zusehends zuverlässig zuvor zwangsläufig zweifellos zweimal
zwischendurch zwischenzeitlich ähnlich öfter öfters östlich übel überaus überdies überhaupt
überraschend überraschenderweise überwiegend
`
    .trim()
    .split(/\s+/),
)
