// English words that sentences begin with: there alone a capital letter says nothing. What is on
// no list and stands there is taken for a name only where the next word says so.

/** In lower case; most endings are taken off before a word is looked up. */
export const englishWords: ReadonlySet<string> = new Set(
  `
a about above absence absent accept accepted access according account accounts across act action
actual actually add addendum additional adult advance advice after afternoon afterwards again
against age agenda agreed agreement air airport alarm alert all allergies allergy allow almost
along already also although always am amendment amount an analysis and animal annex anniversary
announcement annual another answer antibiotic antibiotics any anybody anyone anything anyway
apart apartment api apologies apparently appendix apply appointment approve approved april
architecture archive are area around arrange arranged arrive art article as ask asked assign
assignment asthma at ate attach attempt attend attended attendees attic attorney audit aunt
authentication author avoid away baby babysitter back background backlog backup bad bag bake
baked bakery balance balcony ballet bandage bank bar barbecue based basement basically bath
bathroom battery be beach beans beat beautiful because bed bedroom been beer before began begin
behaviour behind being below benchmark benefits bent best better between big bike bill bin
biopsy birth birthday blew block blocker blood blue board boat body boiler bonus book booked
booster border borrowed boss bot both bottle bought bound box boy boyfriend branch breach bread
break breakfast bride bring bringing broke broken broker brother brought brunch bucket budget
bug build builder building built bullet bus business but button buy by cabin cable cake calendar
call called calls came camp campaign camping can cancel cancelled candidate candidates cannot
car card care careful carpenter carpet cash cast cat catch cats caught cause ceiling central ceo
certain cfo chair change changed charge charger chat chatted cheap check checked checkout
chemistry chicken child children chiropractor chocolate choir cholesterol choose chose chosen
christmas chronic church city class classes clause clean cleaned cleaner cleaners cleaning clear
client clients clinic close closed closing clothes cloud club coach code coffee cold colleague
colleagues collect collected college come comes comfort comment commit committee common
communication community company compare complaint complete compliance computer concern concert
conclusion condition conference config configuration confirm confirmed connection consider
consultant contact container context contract contractor contracts conveyancing cook cooked
cooking cost costs could country couple course cousin coverage crash create created creative
credit criticism crowd crutches curtain customer customer's customers customs cut cycle dad
daily damp dashboard data database date daughter day daycare days deadline deal dealt dear
debugged decided decision decline declined deductible default defendant degree delay delays
delete deliver delivered delivery demo dentist department dependencies dependency deploy
deployed deployment deposit design desk despite detail details detective developer device did
diet different difficult dinner direct director discount discovered discussed discussion dish
dishwasher disk distance do doc doctor document documentation does dog dogs doing done door
dosage double doubt down download downstairs draft drank dreaming dress drink drive driven
driver driving drop dropped drove drunk dryer due dug during duty each earlier early earn easter
easy eat eczema education eggs either elderly electricians electricity elevator else email
emailed emails emergency employee employees encryption end ended endpoint energy engine engineer
engineering engineers enough ensure entire entry environment equipment error errors escalate
escrow especially estate estimate estimated evaluate even evening event eventually ever every
everybody everyday everyone everything ex exact exactly exam example except exception exchange
exercise exhibition existing expect expected expense expenses experience expired expires expiry
export external extra eye face facility fact factory fail failed fall family far farm fast
father faucet favorite favourite feature fed fee feedback feel fees felt ferry fever few fiancé
fiancée field figure file files fill filter final finally finance find fine finish finished fire
first fish fix fixed flag flat flew flight floor flowers flu flyer focus fold folder follow
follow-up following food football for forecast forget forgot form former fortnight forward
fought found four free fresh friday fridge fried friend friends from front frontend froze fruit
full fun fund funeral funny furniture further future gallery game games garage garden gardener
gas gate gave general generally get gift girl girlfriend give given glad glass glasses go goal
goals godfather godmother going good goodbye got gp graduation granddaughter grandfather
grandkids grandma grandmother grandpa grandparents grandson granny grant great green grew
groceries grocery ground group groups growth guarantee guarantor guest guests guide guitar gym
had hair half hall hand handle handover happy hard hardware has hate have having he head
headache headline heads-up health hear heard heater heating heavy hedge held hello help her here
hers hid high hike hiking him himself hiring his history hit hold holding holiday holidays home
homework honestly hope hospital host hot hotel hotels hotfix hotfixes hour hours house household
how however hr huge hundred hung hurt husband hygiene i ice idea ideas if immediately impact
import important improve in in-laws incident include including income increase indeed indemnity
index information inhaler inside inspection install instead instructor insulin insurance insurer
integration interest intern internal internet interview into inventory investigated investors
invite invited invoice invoices iron is issue it item its itself jacket jam job join joined
joiner journal judge junior just keep kept key keys kid kids kind kindergarten kitchen knee knew
know lab label laid lamp landlady landlord language laptop large last late latency later latest
laundry law lawn lawyer lay layout lead leader leak learn learned learnt lease least leave
lecture led left legal length lent lesson lessons let letter letting level liability library
licence license life lift light lighting like likes limit line link linter list listen lit
litter little live living load loading loan local location lock locker locksmith log logging
logs long look looked looking looks lost lot lounge love lovely low luckily luggage lunch
machine made mail main maintenance majority make makes making man manager managers manual many
map mark market marketing material matter may maybe me meal mean means measure mechanic media
medical medication medicine meet meeting meetings member members membership memory men mention
mentioned mentor menu merge merged message met meter method metrics mice microwave middle
midterm midwife might migraine migration milestone milk mind mine minor minute minutes mirror
miss missing mistake mobile model module mold mom money monitoring month monthly months more
morning mortgage most mother motion mould mountain mouse move moved movie moving much mum museum
music musician must my name nanny natural near nearly need needed needs negotiation neighbor
neighbors neighbour neighbours neither nephew network never new news newsletter next nice niece
night no nobody none nor normal normally not notary note notes nothing notice noticed now number
nurse nursery nursing nut nuts object objective observation obviously odd of off offer office
officer officially offline offsite often oh oil ointment ok okay old on onboarding once one
ongoing online only open opened opening operations optician option options or order ordered
orders organised organized original orthodontist other others otherwise our ours out outage
outcome outside oven over overall overdraft overdue overnight overtime owing own owner owners
package packed paediatrician page paid pain painkiller painkillers paint painted pair pan paper
parent parents park parking part partial participants parties partner party pass passengers
passport password past patch patient pause pay payment payments payroll peanut peanuts
pediatrician pension people per percentage performance perhaps period permission person personal
pharmacy phone phoned photo photos physio physiotherapist piano pick picked picnic picture pills
pilot pin pipeline pitch pizza place places plaintiff plan plane planned planning plans plant
planted plaster plasterer plate play players playground please plenty plumber plumbing plus pm
poem point police policy policyholder politics pool poor position possible possibly post
postponed postponing potatoes power practice prefer preferred pregnancy premium prepare prepared
prescription present previous previously price prices pricing principal print printer priority
private probably problem problems process procurement product production profile profit program
progress project projects promised promotion property proposal protect protocol prototype proved
provide provider psychiatrist psychologist public pull pump puppy purchase push put quality
quarter quarterly query question questions quick quickly quiet quite quote radio rain ran rang
ranked rash rate rather rationale reach reached read reading ready real realised realized really
reason receipt received recent recently receptionist recipe recommendation record recovery
recruiting red reduce refactor refactored refactoring reference refund regarding registration
regression regular rejected relationship relatives release remedy remember remind reminder
reminders remittance remortgage removal remove removed renew renewal rent rental repair repaired
replace replaced replica reply repo report reports repository representatives request requests
require required reschedule rescheduled research reservation reserve reset response rest restart
restaurant restock result results retention retro retry return returned revenue review reviewed
rewrite right ring risen risk road roadmap rode role rollback roof room roommate rooms rose
rotate round route rule rules run rung runner running safe safety said salad salary sale sales
same sample sandwich sang saturday saved savings saw say says scan scarf schedule scheduled
schema school schools science score script sea search season seat seating second secret
secretary section security see seems seen seminar send senior sent server servers service
session set several shall share she shelf shift ship shipped shipping shirt shoes shook shop
shopping short should show showed shower showing shown shut sick side sign signatory signature
signed silence similar simple since single sister sit site six size skin skip sleep slept slid
slides slow small smart snow so soap soccer social socks sofa software sold solicitor solution
some somebody somehow someone something sometimes son soon sorry sort sought sound soup source
space speak speaker special speech spend spent spoke spoken sports spotted spreadsheet spring
sprint stable staff stage staging stairs stakeholders stand standup start started starting
starts statement station status stay stepfather stepmother stepson still stitches stock stomach
stood stop stopped storage store story strategy street stretch stroller strong struck stuck
student students study stuff subject submit subscription such suddenly sugar suggest suggested
suitcase summary summer sun supplier support supposedly sure surety surgeon surgery survey
surveyor swam swept swimming swore syllabus symptoms system table take taken takes taking talk
talked talks tank tap target task tasks taught tax taxes taxi tea teach teacher teachers team
teams technical teenager telephone tell temporary ten tenancy tenant tenants tent term
termination terms terrace test tested tests text texted than thank thanks that the theatre their
them then therapist therapy there therefore thermostat these they thing things think thinking
third this those though thought thread three threw throw thrown thus ticket tickets till time
timeline times timesheet tip tired tires title to today toddler todo together toilet token told
tomatoes tomorrow tonight too took tool tools tooth top tore total tour tourists toward towards
town toys track trade traffic trail trailer train trained trainer training trains transaction
transfer transport travel travelled treasurer treatment tree trial trick tried trip truck true
trust try trying turn turned tutor twice twins two type tyres ultimately ultrasound umbrella
uncle under understand unfortunately unit university unless unlike unpacked until up update
updated upgrade upgraded upload upon upstairs urgent us usage use used user users uses using
usually vacation vaccination vaccine validation value van variable various vegetables vegetarian
vehicle vendor version very vet veterinary via video village visa visit visited visiting
visitors visits voice volunteer volunteers vote voucher wait waiting walk wall wallet want
wanted wants wardrobe warehouse warm warning warranty was wash waste watch watched water way we
wear weather webhook webinar website wedding week weekend weekly weeks weight welcome well went
wept were what whatever wheel wheelchair when whenever where whether which while white
whiteboard who whole whose why widow widower wife wifi will window windows wine winter wish with
within without witness woke woman women won wonder word words wore work worked worker workers
working workout works workshop world worry worth would write writing written wrong wrote x-ray
yard year yearly years yes yesterday yesterday's yet yoga you young your yours yourself zero
zone
`
    .trim()
    .split(/\s+/),
)
