// First parts of German compounds other than nouns: stems of verbs, adjectives, prefixes, numbers.
// A compound with another first part is hardly a noun, so it may be a name: "Watzmann".

/** In lower case. */
export const germanParts: ReadonlySet<string> = new Set(
  `
ab abschluss acht aero afro agro allein alt an ander anti aqua asien astro audio auf aus außen
bade bei beiß bestands bet biege binnen bio bitter blank bohr brech brenn bring bundes bunt
crypto cyber da dehn dick dien digi digital disko drei durch dünn eco edel eigen ein einzel
elektro elektron endo entwickl ergo ex fahr fahrrad feg fein fertig fertigungs feucht flach
fließ flücht fort frei fress färb fühl fünf ganz gastro geb gebrauchs gebraucht gefrier gegen
gelb gelt gemein gemeinschafts geo gesamt gewähr gieb gieß glatt gleit glüh grau greif grob groß
gruppen grüß gurt gär halb hart heb hebe heiz heiß helf hell her herb hetero hilfs hin hink
hinter hoch hol homo horch hunde hydro hyper häng höchst hör hüpf immun impf info innen inter
intra jag jahres kalt kardio katzen kau kenn kick kleb klein kletter klopf knabber kneif knirsch
kommunal kosmo kratz kriech kriminal krypto kräuter kurz kämm kühl kür küss landes lang laut
lebens leer leg leicht leih leise leit lenk lern lese letzt liberal liefer links locker lose lot
lutsch längs läut lösch löse lösungs mager mahn makro massen maxi mega mehr melde merk meta mild
mindest mini misch miss mit monats mono moto mäh nach nah nano nasen nass national neben neck
nenn net netzwerk neu neun neuro nick nieder nies nitro nähr näss ober offline ohren onko online
ortho orts oster pack para patho perma personen petro pferde pflanzen pflück phono photo physio
phyto pick pirsch plauder pneumo poch poly prell privat pro proto prä prüf pseudo psycho pyro
rasch rasier rechts regional reift reihen rein reiß retro riesen rinder roh rosa rot räum rühr
rüst sammel sanft satt sauer saug schalt scharf schick schieb schief schiel schimpf schlank
schlend schlepp schließ schlürf schmoll schmück schnapp schnarch schneid schnell schneuz schnitz
schnür schreit schrubb schwach schwarz schwimm schwärm schwör schält schätz schöpf schür
schüttel seiten semi send sende sero setz sexual sicher sieben sied siez sing socio solo sonder
sonnen spann spar spei spezial spieg sprech spreiz sprieß spring sprüh spät spür staats
stadtteil stampf stark starr stech steck steh steig sterb stereo stink stolper streb streu ström
studien studier stumm stumpf stunden stör stürm sub suppen säe säug süß tages taug techno tele
terra thermo tiefkühl tob topo total trag trans treib trenn tret tri trief trink trocken trotz
träum tröst trüb turbo typo täusch tön töpfer töt ultra um unter urlaubs uro vario verkehrs
vertreib viel vier viert volks voll vor vorder wander warm warn wasch wat web weck weich weig
weih weiter weiß welk werb werf wider wieder wimmel wirf wirk wirtschafts wisch wohn wäg wälz
wölb wühl würg xeno zahm zart zehn zeig zerr zieh zier zitter zu zuck zurück zusammen zwangs
zwei zweif zweit zwischen zyto zähl zöger zünd öko üb über
`
    .trim()
    .split(/\s+/),
)
