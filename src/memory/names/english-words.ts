// English words that sentences begin with: there alone a capital letter says nothing.

/** In lower case; most endings are taken off before a word is looked up. */
export const englishWords: ReadonlySet<string> = new Set(
  `
a about above accept access according account accounts across act action actual actually add
additional adult advance advice after afternoon afterwards again against age agenda agreed
agreement air airport alarm alert all allow almost along already also although always am amount
an analysis and animal anniversary announcement annual another answer antibiotics any anybody
anyone anything anyway apart apartment api apparently apply appointment approve april
architecture archive are area around arrange arrive art article as ask asked assign assignment
at attach attempt attend attic audit aunt authentication author avoid away baby back backlog
backup bad bag bake bakery balance balcony ballet bank bar barbecue based basement basically
bath bathroom battery be beach beans beautiful because bed bedroom been beer before began begin
behaviour behind being below benchmark benefits best better between big bike bill bin birth
birthday block blood blue board boat body boiler bonus book booked border boss bot both bottle
bought box boy branch bread break breakfast bride bring bringing broke broken brother brought
brunch bucket budget bug build builder building built bullet bus business but button buy by
cabin cable cake calendar call called calls came camp campaign camping can cancel cancelled
candidate candidates cannot car card care careful carpet cash cat catch cats cause ceiling
central ceo certain cfo chair change changed charge charger chat cheap check checked checkout
chemistry chicken child children chocolate choir choose christmas chronic church city class
classes clean cleaned cleaning clear client clients clinic close closed closing clothes cloud
club coach code coffee cold colleague colleagues collect college come comes comfort comment
commit committee common communication community company compare complaint complete compliance
computer concern concert condition conference config configuration confirm confirmed connection
consider consultant contact container contract contractor contracts cook cooking cost costs
could country couple course cousin coverage crash create created creative credit criticism crowd
curtain customer customer's customers cut cycle dad daily dashboard data database date daughter
day daycare days deadline deal dear decided decision decline deductible default degree delay
delays delete deliver delivered delivery demo dentist department dependencies dependency deploy
deployed deployment deposit design desk despite detail details detective developer device did
diet different difficult dinner direct director discount discussed discussion dish dishwasher
disk distance do doc doctor document documentation does dog dogs doing done door dosage double
doubt down download downstairs draft dress drink drive driver driving drop dryer due during duty
each earlier early earn easter easy eat education eggs either elderly electricity elevator else
email emails emergency employee employees encryption end ended endpoint energy engine engineer
engineering engineers enough ensure entire entry environment equipment error errors escalate
especially estate estimate estimated evaluate even evening event eventually ever every everybody
everyday everyone everything exact exactly exam example except exception exchange exercise
exhibition existing expect expected expense expenses experience expired expires export external
extra eye face facility fact factory fail failed fall family far farm fast father faucet
favorite favourite feature fee feedback feel fees ferry fever few field figure file files fill
filter final finally finance find fine finish finished fire first fish fix fixed flag flat
flight floor flowers flu flyer focus fold folder follow following food football for forecast
forget forgot form former fortnight forward found four free fresh friday fridge friend friends
from front frontend fruit full fun fund funeral funny furniture further future gallery game
games garage garden gas gate gave general generally get gift girl give given glad glass glasses
go goal goals going good goodbye got graduation granddaughter grandfather grandma grandmother
grandpa grandparents grandson granny grant great green grew groceries grocery ground group
groups growth guarantee guest guests guide guitar gym had hair half hall hand handle handover
happy hard hardware has hate have having he head headache headline health hear heard heater
heating heavy hedge hello help her here hers high hike hiking him himself hiring his history hit
hold holding holiday holidays home homework honestly hope hospital host hot hotel hotels hour
hours house household how however hr huge hundred husband hygiene i ice idea ideas if
immediately impact import important improve in incident include including income increase indeed
index information inside inspection install instead instructor insurance integration interest
intern internal internet interview into inventory investors invite invited invoice invoices iron
is issue it item its itself jacket jam job join joined journal judge junior just keep kept key
keys kid kids kind kindergarten kitchen knee knew know lab label lamp landlady landlord language
laptop large last late latency later latest laundry law lawn lawyer layout lead leader leak
learn learned lease least leave lecture left legal length lesson lessons let letter letting
level library licence license life lift light lighting like likes limit line link linter list
listen litter little live living load loading loan local location lock locker log logging logs
long look looked looking looks lost lot lounge love lovely low luckily luggage lunch machine
made mail main maintenance majority make makes making man manager managers manual many map mark
market marketing material matter may maybe me meal mean means measure mechanic media medical
medication medicine meet meeting meetings member members memory men mention mentioned mentor
menu merge message met meter method metrics mice microwave middle midterm might migration
milestone milk mind mine minor minute minutes mirror miss missing mistake mobile model module
mom money monitoring month monthly months more morning mortgage most mother motion mountain
mouse move moved movie moving much mum museum music musician must my name natural near nearly
need needed needs negotiation neighbor neighbors neighbour neighbours neither nephew network
never new news newsletter next nice niece night no nobody none nor normal normally not note
notes nothing notice now number nurse nursery nursing nut nuts object objective obviously odd of
off offer office officer officially offline offsite often oh oil ok okay old on onboarding once
one ongoing online only open opened opening operations option options or order ordered orders
original other others otherwise our ours out outage outcome outside oven over overall overdue
overnight overtime owing own owner owners package page paid pain paint pair pan paper parent
parents park parking part partial parties partner party pass passengers passport password past
patch patient pause pay payment payments payroll peanut peanuts pediatrician pension people per
percentage performance perhaps period permission person personal pharmacy phone photo photos
physio piano pick picked picnic picture pills pilot pin pipeline pitch pizza place places plan
plane planned planning plans plant plate play players playground please plenty plumber plumbing
plus pm poem point police policy politics pool poor position possible possibly post potatoes
power practice prefer preferred pregnancy prepare prescription present previous previously price
prices pricing principal print printer priority private probably problem problems process
procurement product production profile profit program progress project projects promised
promotion property proposal protect protocol prototype proved provide provider public pull pump
puppy purchase push put quality quarter quarterly query question questions quick quickly quiet
quite quote radio rain ran rash rate rather reach reached read reading ready real really reason
receipt received recent recently receptionist recipe recommendation record recovery recruiting
red reduce refactor refactoring reference refund regarding registration regression regular
relationship relatives release remember remind reminder reminders removal remove removed renew
renewal rent rental repair replace replaced replica reply repo report reports repository
representatives request requests require required reschedule research reservation reserve reset
response rest restart restaurant restock result results retention retro retry return returned
revenue review reviewed rewrite right ring road roadmap role rollback roof room roommate rooms
rotate round route rule rules run runner running safe safety said salad salary sale sales same
sample sandwich saturday saved savings saw say says scan scarf schedule scheduled schema school
schools science score script sea search season seat seating second secret secretary section
security see seems seen seminar send senior sent server servers service session set several
shall share she shelf shift ship shipping shirt shoes shop shopping short should show showed
shower showing sick side sign signature signed silence similar simple since single sister sit
site six size skin skip sleep slept slides slow small smart snow so soap soccer social socks
sofa software sold solution some somebody somehow someone something sometimes son soon sorry
sort sound soup source space speak speaker special speech spend spent sports spreadsheet spring
sprint stable staff stage staging stairs stakeholders stand standup start started starting
starts statement station status stay still stock stomach stood stop stopped storage store story
strategy street stretch stroller strong student students study stuff subject submit subscription
such suddenly sugar suggest suggested suitcase summary summer sun supplier support supposedly
sure surgeon surgery survey swimming syllabus symptoms system table take taken takes taking talk
talked talks tank tap target task tasks tax taxes taxi tea teach teacher teachers team teams
technical teenager telephone tell temporary ten tenancy tenant tenants tent term terms terrace
test tested tests text than thank thanks that the theatre their them then therapist therapy
there therefore thermostat these they thing things think third this those though thought thread
three throw thus ticket tickets till time timeline times timesheet tip tired tires title to
today toddler together toilet token told tomatoes tomorrow tonight too took tool tools tooth top
total tour tourists toward towards town toys track trade traffic trail trailer train trained
trainer training trains transaction transfer transport travel travelled treasurer treatment tree
trial trick tried trip truck true trust try trying turn turned tutor twice twins two type tyres
ultimately umbrella uncle under understand unfortunately unit university unless unlike until up
update updated upgrade upgraded upload upon upstairs urgent us usage use used user users uses
using usually vacation vaccination vaccine validation value van variable various vegetables
vegetarian vehicle vendor version very vet veterinary via video village visa visit visited
visiting visitors visits voice volunteer volunteers vote voucher wait waiting walk wall wallet
want wanted wants wardrobe warehouse warm warning warranty was wash waste watch watched water
way we wear weather webhook webinar website wedding week weekend weekly weeks weight welcome
well went were what whatever wheel when whenever where whether which while white whiteboard who
whole whose why wife wifi will window windows wine winter wish with within without woman women
wonder word words work worked worker workers working workout works workshop world worry worth
would write writing written wrong wrote yard year yearly years yes yesterday yesterday's yet
yoga you young your yours yourself zero zone
`
    .trim()
    .split(/\s+/),
)
