// German words that are no nouns and that sentences and headings begin with. By how many of these
// a text has it is told from an English one.

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
