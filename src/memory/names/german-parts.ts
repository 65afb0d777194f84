// What a German compound begins with beside nouns: stems of verbs, adjectives, prefixes, numbers.
// A compound whose first part is none of them is hardly a noun, and so may be a name: "Watzmann".

/** In lower case. */
export const germanParts: ReadonlySet<string> = new Set(
  `
ab abschluss acht afro allein alt an ander anti asien audio auf aus außen be bei bestands bet bi
binnen bio bitter bohr brenn bring bundes bunt crypto cyber da dick dien digital drei durch dünn
edel eigen ein einzel elektro elektron entwickl er ex fahr fahrrad fein fertig fertigungs feucht
flach flücht fort frei färb fühl fünf ganz ge gebrauchs gebraucht gegen gelb gemein
gemeinschafts geo gesamt gieß glatt glüh grau grob groß gruppen halb heb hebe heiz heiß helf her
hilfs hin hinter hoch hunde hydro häng höchst hör hüpf impf in innen inter jag jahres kalt
kardio katzen kehr kick kleb klein kletter knabber kommunal kriech kriminal krypto kräuter kurz
kühl landes lang lebens leer leg leicht leih leit lenk lern lese letzt liberal liefer links
längs lösch löse lösungs makro massen maxi mega mehr melde mindest mini misch miss mit monats
mono mäh nach nah nasen nass national neben net netzwerk neu neun neuro nieder not nähr ober
offline ohren online orts oster pack personen pferde pflanzen photo physio poly privat pro prüf
pseudo psycho rasier rechts regional reihen rein riesen rinder roh rosa rot räum sammel sauer
saug schalt scharf schick schieb schief schließ schnapp schneid schnell schwach schwarz schwimm
seiten semi send sende setz sexual sicher sieben sing solo sonder sonnen spann spar spezial
sprech spring sprüh spät staats stadtteil stampf stark stech steck steh streu studien stumm
stumpf stunden sub suppen säug süß tages tele thermo tiefkühl total trag trans treib trenn tret
tri trink trocken töpfer um un unter ur urlaubs ver verkauf verkehrs versand vertreib viel vier
viert volks voll vor vorder wander warm warn wasch web weck weih weiter weiß werb werf wider
wieder wirk wirtschafts wisch wohn zahm zart zehn zeig zer zerr zieh zier zu zurück zusammen
zwangs zwei zweit zwischen zähl zünd öko über
`
    .trim()
    .split(/\s+/),
)
