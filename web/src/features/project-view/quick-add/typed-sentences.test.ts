import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  getValueKey,
  listShownTokens,
  mergeValues,
  readSentence,
  type SentenceContext,
  type SentenceToken,
  type TypedValue,
} from '#lib/typed-sentence.ts'

const context: SentenceContext = {
  tags: [
    { id: 'tag_1', name: 'content' },
    { id: 'tag_2', name: 'needs design' },
  ],
  members: [
    { id: 'usr_1', name: 'Ines Okafor' },
    { id: 'usr_2', name: 'Robin Keller' },
    { id: 'usr_3', name: 'Robin Kaya' },
    { id: 'usr_4', name: 'Elif' },
  ],
  me: 'usr_1',
  // A Friday.
  today: '2026-11-20',
  clock: () => '10:30',
  language: { words: {}, isMonthFirst: false },
  canCreateTags: true,
}

function format(chip: TypedValue): string {
  switch (chip.kind) {
    case 'due':
      return `due ${[chip.date, chip.time, chip.seconds && `for ${chip.seconds / 60} min`].filter(Boolean).join(' ')}`
    case 'repeat':
      return `${chip.rrule} from ${[chip.date, chip.time].filter(Boolean).join(' ')}`
    case 'estimate':
      return `${chip.seconds / 60} min`
    case 'priority':
      return `!${chip.priority}`
    case 'status':
      return chip.key
    default:
      return chip.name
  }
}

/** What people type, and the title and values that they expect. */
const SENTENCES: Readonly<Record<string, readonly [title: string, ...values: string[]]>> = {
  'Call Anna friday': ['Call Anna', 'due 2026-11-27'],
  'Call Anna Friday': ['Call Anna', 'due 2026-11-27'],
  'Call Anna next friday': ['Call Anna', 'due 2026-11-27'],
  'Call Anna friday 9am': ['Call Anna', 'due 2026-11-27 09:00'],
  'Call Anna friday at 14:30': ['Call Anna', 'due 2026-11-27 14:30'],
  'Call Anna 9am': ['Call Anna', 'due 2026-11-21 09:00'],
  'Call Anna at 9:15': ['Call Anna', 'due 2026-11-21 09:15'],
  'Pay the rent tomorrow': ['Pay the rent', 'due 2026-11-21'],
  'Pay the rent the day after tomorrow': ['Pay the rent', 'due 2026-11-22'],
  'Send the report by Monday': ['Send the report', 'due 2026-11-23'],
  'Send the report on 15 December': ['Send the report', 'due 2026-12-15'],
  'Send the report Dec 15': ['Send the report', 'due 2026-12-15'],
  'Send the report 15.12.': ['Send the report', 'due 2026-12-15'],
  'Send the report 2026-12-10': ['Send the report', 'due 2026-12-10'],
  'Close the books eom': ['Close the books', 'due 2026-11-30'],
  'Close the books end of month': ['Close the books', 'due 2026-11-30'],
  'Plan the offsite next week': ['Plan the offsite', 'due 2026-11-23'],
  'Plan the offsite in 3 days': ['Plan the offsite', 'due 2026-11-23'],
  'Plan the offsite in a week': ['Plan the offsite', 'due 2026-11-27'],
  'Plan the offsite +2w': ['Plan the offsite', 'due 2026-12-04'],
  'Standup every monday': ['Standup', 'FREQ=WEEKLY;BYDAY=MO from 2026-11-23'],
  'Standup every monday 9am 15min': [
    'Standup',
    '15 min',
    'FREQ=WEEKLY;BYDAY=MO from 2026-11-23 09:00',
  ],
  'Standup daily at 9:30': ['Standup', 'FREQ=DAILY from 2026-11-20 09:30'],
  'Call Anna friday at 9': ['Call Anna', 'due 2026-11-27 09:00'],
  'Standup every mon, wed and fri': ['Standup', 'FREQ=WEEKLY;BYDAY=MO,WE,FR from 2026-11-20'],
  'Standup every weekday': ['Standup', 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR from 2026-11-20'],
  'Water the plants every 2 weeks': ['Water the plants', 'FREQ=WEEKLY;INTERVAL=2 from 2026-11-20'],
  'Pay the rent every 1st': ['Pay the rent', 'FREQ=MONTHLY;BYMONTHDAY=1 from 2026-12-01'],
  'Check the backups daily': ['Check the backups', 'FREQ=DAILY from 2026-11-20'],
  'Write the spec 3h': ['Write the spec', '180 min'],
  'Write the spec 1h 30m': ['Write the spec', '90 min'],
  'Write the spec tomorrow 45min': ['Write the spec', '45 min', 'due 2026-11-21'],
  'Write the spec !high #content @Robin Keller friday': [
    'Write the spec',
    '!high',
    'content',
    'Robin Keller',
    'due 2026-11-27',
  ],
  '@Elif write the spec': ['write the spec', 'Elif'],
  'Ask @me due fri about it': ['Ask about it', 'Ines Okafor', 'due 2026-11-27'],
  'Call Anna fri': ['Call Anna', 'due 2026-11-27'],
  'Call Anna on sat': ['Call Anna', 'due 2026-11-21'],
  'Call Anna tue 10am': ['Call Anna', 'due 2026-11-24 10:00'],
  'Call Anna Next Friday': ['Call Anna', 'due 2026-11-27'],
  'Call Anna monday next week': ['Call Anna', 'due 2026-11-23'],
  'Call Anna Friday, 9:30 am': ['Call Anna', 'due 2026-11-27 09:30'],
  'Call Anna friday!': ['Call Anna', 'due 2026-11-27'],
  'Deploy 9pm tomorrow': ['Deploy', 'due 2026-11-21 21:00'],
  'Deploy at 14:00 on monday': ['Deploy', 'due 2026-11-23 14:00'],
  'Deploy friday at noon': ['Deploy', 'due 2026-11-27 12:00'],
  'Deploy tomorrow morning': ['Deploy', 'due 2026-11-21 09:00'],
  'Deploy tonight': ['Deploy', 'due 2026-11-20 20:00'],
  'Deploy in 2 hours': ['Deploy', 'due 2026-11-20 12:30'],
  'Deploy in two weeks': ['Deploy', 'due 2026-12-04'],
  'Send the report by EOD': ['Send the report', 'due 2026-11-20'],
  'Send the report this week': ['Send the report', 'due 2026-11-20'],
  'Send the report end of next week': ['Send the report', 'due 2026-11-27'],
  'Send the report by the end of the year': ['Send the report', 'due 2026-12-31'],
  'Send the report on the 15th': ['Send the report', 'due 2026-12-15'],
  'Send the report 15th of December': ['Send the report', 'due 2026-12-15'],
  'Send the report Mon 23 Nov': ['Send the report', 'due 2026-11-23'],
  'Ride a bike this weekend': ['Ride a bike', 'due 2026-11-21'],
  'Standup every other monday': ['Standup', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO from 2026-11-23'],
  'Standup every 2 weeks on monday': ['Standup', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO from 2026-11-23'],
  'Standup each morning': ['Standup', 'FREQ=DAILY from 2026-11-20 09:00'],
  'Pay the rent every month on the 1st': [
    'Pay the rent',
    'FREQ=MONTHLY;BYMONTHDAY=1 from 2026-12-01',
  ],
  'Report taxes quarterly': ['Report taxes', 'FREQ=MONTHLY;INTERVAL=3 from 2026-11-20'],
  'Write the spec for 2 hours': ['Write the spec', '120 min'],
  'Write the spec half an hour': ['Write the spec', '30 min'],
  'Write the spec @keller #needs design': ['Write the spec', 'Robin Keller', 'needs design'],
  'Write the spec @elif, due: friday': ['Write the spec', 'Elif', 'due 2026-11-27'],
  'Call Anna Fri. 5 pm': ['Call Anna', 'due 2026-11-27 17:00'],
  'Call Anna TODAY': ['Call Anna', 'due 2026-11-20'],
  'Call Anna, tomorrow?': ['Call Anna', 'due 2026-11-21'],
  'Call Anna (tomorrow)': ['Call Anna', 'due 2026-11-21'],
  'Call Anna tonight at 8': ['Call Anna', 'due 2026-11-20 20:00'],
  'Call Anna at noon': ['Call Anna', 'due 2026-11-20 12:00'],
  'Call Anna in 1.5 hours': ['Call Anna', 'due 2026-11-20 12:00'],
  'Send the report on 12/24': ['Send the report', 'due 2026-12-24'],
  'Meet on 5/1': ['Meet', 'due 2027-01-05'],
  'Send the report 24/12/2026': ['Send the report', 'due 2026-12-24'],
  'Send the report due by friday': ['Send the report', 'due 2026-11-27'],
  'Send the report eod friday': ['Send the report', 'due 2026-11-27'],
  'Write the spec for 2 hours tomorrow': ['Write the spec', 'due 2026-11-21', '120 min'],
  'Write the spec @Robin Keller and @Elif': ['Write the spec', 'Robin Keller', 'Elif'],
  'Swim on Mondays': ['Swim', 'FREQ=WEEKLY;BYDAY=MO from 2026-11-23'],
  'Swim every Tuesday & Thursday': ['Swim', 'FREQ=WEEKLY;BYDAY=TU,TH from 2026-11-24'],
  'Swim every week monday 7pm': ['Swim', 'FREQ=WEEKLY;BYDAY=MO from 2026-11-23 19:00'],
  'Check the backups every day at midnight': [
    'Check the backups',
    'FREQ=DAILY from 2026-11-20 23:59',
  ],
  // What stays a title.
  'Read 12/24': ['Read 12/24'],
  'Pack 2 days before friday': ['Pack 2 days before friday'],
  'Closed from 1 Dec until 5 Dec': ['Closed from 1 Dec until 5 Dec'],
  'Call 555-1234': ['Call 555-1234'],
  'next friday': ['next friday'],
  'Read about Black Friday': ['Read about Black Friday'],
  'Move the meeting to Friday': ['Move the meeting to Friday'],
  'Write the minutes of monday': ['Write the minutes of monday'],
  'Closed from Monday until Friday': ['Closed from Monday until Friday'],
  'Print it in 3d': ['Print it in 3d'],
  'Rest for the weekend': ['Rest for the weekend'],
  'Fix the error at 9': ['Fix the error at 9'],
  'Watch The Day After Tomorrow': ['Watch The Day After Tomorrow'],
  'Ask @Robin': ['Ask @Robin'],
  'Friday plan': ['Friday plan'],
  Tomorrow: ['Tomorrow'],
  'Changelog for 1.9': ['Changelog for 1.9'],
  'Enjoy the sun': ['Enjoy the sun'],
  'Compare 16:10 screens with 16:9': ['Compare 16:10 screens with 16:9'],
  'Swim 100m': ['Swim 100m'],
  'Rename tomorrow to soon in the docs': ['Rename tomorrow to soon in the docs'],
  'Move 3 tasks to next': ['Move 3 tasks to next'],
}

/** Days, times and numbers in all forms and places, and what only looks like them. */
const ADVERSARIAL_SENTENCES: typeof SENTENCES = {
  'Tomorrow review the deck': ['review the deck', 'due 2026-11-21'],
  'Tomorrow call Anna at 9am': ['call Anna', 'due 2026-11-21 09:00'],
  'Tomorrow call Ben at 9am 45m': ['call Ben', 'due 2026-11-21 09:00', '45 min'],
  'Pack for 3 days at 9am': ['Pack for 3 days at 9am'],
  'Monthly on the 15th send the report': [
    'send the report',
    'FREQ=MONTHLY;BYMONTHDAY=15 from 2026-12-15',
  ],
  'Due tomorrow: send the report': ['send the report', 'due 2026-11-21'],
  'Call Anna by noon': ['Call Anna', 'due 2026-11-20 12:00'],
  'Move the meeting from 3pm to 4pm': ['Move the meeting from 3pm to 4pm'],
  'Meeting Mon-Fri 9am': ['Meeting Mon-Fri 9am'],
  'Ship on mon, tue and wed': ['Ship on mon, tue and wed'],
  'Run the 24h test': ['Run the 24h test'],
  'By Friday send the report': ['send the report', 'due 2026-11-27'],
  'Next week: plan the offsite': ['plan the offsite', 'due 2026-11-23'],
  'Every monday standup at 9am': ['standup', 'FREQ=WEEKLY;BYDAY=MO from 2026-11-23 09:00'],
  'Call Anna friday about the plan': ['Call Anna about the plan', 'due 2026-11-27'],
  'Call bank 2026/12/31 at 9am': ['Call bank', 'due 2026-12-31 09:00'],
  'Dentist 15.12.26 9am': ['Dentist', 'due 2026-12-15 09:00'],
  'Pay tax 31 Dec 26': ['Pay tax', 'due 2026-12-31'],
  'Demo mid December 2pm': ['Demo', 'due 2026-12-15 14:00'],
  'Meeting week 50 10am': ['Meeting', 'due 2026-12-07 10:00'],
  'Call bank on Dec the 15th at 9am': ['Call bank', 'due 2026-12-15 09:00'],
  'Meet Ben 3pm-4pm': ['Meet Ben', 'due 2026-11-20 15:00 for 60 min'],
  'Meet Ben tomorrow 11-1pm': ['Meet Ben', 'due 2026-11-21 11:00 for 120 min'],
  'Standup every first monday 9am': ['Standup', 'FREQ=MONTHLY;BYDAY=1MO from 2026-12-07 09:00'],
  'Pay rent on the 1st of every month': ['Pay rent', 'FREQ=MONTHLY;BYMONTHDAY=1 from 2026-12-01'],
  'Lunch every last friday of the month': ['Lunch', 'FREQ=MONTHLY;BYDAY=-1FR from 2026-11-27'],
  'Water plants every 2 weeks starting monday': [
    'Water plants',
    'FREQ=WEEKLY;INTERVAL=2 from 2026-11-23',
  ],
  'Back up every day until 31 Dec': ['Back up', 'FREQ=DAILY;UNTIL=20261231 from 2026-11-20'],
  'Renew it every year on 24 Dec': ['Renew it', 'FREQ=YEARLY from 2026-12-24'],
  'Fix login p1 45m': ['Fix login', '!urgent', '45 min'],
  'Draft ~30m #content': ['Draft', '30 min', 'content'],
  'Draft 1 1/2h, tomorrow': ['Draft', '90 min', 'due 2026-11-21'],
  'Draft it 10.5h': ['Draft it', '630 min'],
  'Ping 192.168.1.10 today': ['Ping 192.168.1.10', 'due 2026-11-20'],
  'Pay $12.50 by friday': ['Pay $12.50', 'due 2026-11-27'],
  'Report the bug in v2.10 friday': ['Report the bug in v2.10', 'due 2026-11-27'],
  'Call +49 30 123456 at 9am': ['Call +49 30 123456', 'due 2026-11-21 09:00'],
  'Install Firefox 12.5. today': ['Install Firefox 12.5.', 'due 2026-11-20'],
  'Call Anna friday and Ben, then write monday': [
    'Call Anna and Ben, then write monday',
    'due 2026-11-27',
  ],
  // Half of a date is none.
  'Workshop Dec 15-17 9am': ['Workshop Dec 15-17 9am'],
  'Party on Christmas 6pm': ['Party on Christmas 6pm'],
  'Plan Q1 9am': ['Plan Q1 9am'],
  'Closed friday to monday': ['Closed friday to monday'],
  'Call Anna friday or monday': ['Call Anna friday or monday'],
  'Deploy friday 31pm': ['Deploy friday 31pm'],
  // Versions, addresses, code, colours and other numbers.
  'Upgrade to Node 22.5.': ['Upgrade to Node 22.5.'],
  'Review chapter 4.2.': ['Review chapter 4.2.'],
  'Fix section 3.4.': ['Fix section 3.4.'],
  'Fix the crash in 3.4.27': ['Fix the crash in 3.4.27'],
  'Compare v1.2.27 with v1.3': ['Compare v1.2.27 with v1.3'],
  'Open https://docket.example/#content': ['Open https://docket.example/#content'],
  'Run `ship tomorrow #content` in CI': ['Run `ship tomorrow #content` in CI'],
  'Run `ls #content and': ['Run `ls #content and'],
  'Paint it #ff5500 on #fff': ['Paint it #ff5500 on #fff'],
  'Set the timeout to 45m': ['Set the timeout to 45m'],
  'Read page p2': ['Read page p2'],
  'Read the 2nd chapter': ['Read the 2nd chapter'],
  'Meet on the 1st floor': ['Meet on the 1st floor'],
  'Write weekly reports': ['Write weekly reports'],
  'Tomorrow Never Dies': ['Tomorrow Never Dies'],
  'May I ask Anna': ['May I ask Anna'],
  'Review the PR from Monday 9am': ['Review the PR from Monday 9am'],
}

const read = (typed: string) => {
  const { title, values } = readSentence(typed, context)
  return [title, ...values.map(format)].toSorted()
}

test('understands what people type as they mean it', () => {
  for (const [typed, expected] of Object.entries({ ...SENTENCES, ...ADVERSARIAL_SENTENCES }))
    assert.deepEqual(read(typed), expected.toSorted(), typed)
})

/** Types a sentence key by key, and returns what it has become and the values that have vanished meanwhile. */
function typeOut(sentence: string) {
  let before = ''
  let last = readSentence('', context)
  let shown: readonly SentenceToken[] = []
  const vanished: string[] = []
  for (let end = 1; end <= sentence.length; end += 1) {
    const text = sentence.slice(0, end)
    shown = listShownTokens(last.tokens, before, text)
    last = readSentence(text, context, { isTyping: true, shown })
    const isThere = (one: SentenceToken) =>
      last.tokens.some((token) => token.start <= one.start && token.end >= one.end)
    vanished.push(...shown.filter((one) => !isThere(one)).map(({ value }) => value.typed))
    before = text
  }
  const { title, values } = readSentence(sentence, context, { shown })
  return { vanished, read: [title, ...values.map(format)] }
}

test('keeps what has been shown as a value while a sentence goes on', () => {
  const sentences = [
    ...Object.keys({ ...SENTENCES, ...ADVERSARIAL_SENTENCES }),
    'Tomorrow call Anna about the plan',
    'Call Anna friday about the plan and the weekly report',
    'Write the spec 3h with Ben on the second floor',
    'Fix login p1 with @Elif today or so',
    'Pay the rent every month on the 1st from the new account',
    'Send the report 1 Dec – 5 Dec',
    'Do it today and tomorrow',
  ]
  for (const sentence of sentences) assert.deepEqual(typeOut(sentence).vanished, [], sentence)
  // Words that turn out to be part of something else are in the title, too.
  for (const [sentence, ...values] of [
    ['Call Anna friday or monday', 'due 2026-11-27'],
    ['Meet on the 1st floor', 'due 2026-12-01'],
    ['Ask @Keller Smith', 'Robin Keller'],
  ] as const)
    assert.deepEqual(typeOut(sentence).read, [sentence, ...values])
  // One date is read as it is in the end.
  assert.deepEqual(typeOut('Call Anna friday at 9am p1').read.slice(1), [
    'due 2026-11-27 09:00',
    '!urgent',
  ])
})

test('reads words anew that were edited, or stand behind edited ones', () => {
  const { tokens } = readSentence('Meet friday or monday', context, {
    shown: readSentence('Meet friday ', context).tokens,
  })
  assert.equal(tokens.length, 1)
  assert.deepEqual(listShownTokens(tokens, 'Meet friday or monday', 'Join friday or monday'), [])
  assert.deepEqual(listShownTokens(tokens, 'Meet friday or monday', 'Meet fridays or monday'), [])
  assert.deepEqual(listShownTokens(tokens, 'Meet friday or monday', 'Meet friday or'), tokens)
})

test('marks the words of a value where they stand', () => {
  const text = 'Tomorrow  call @Robin Keller, about #content'
  const { tokens } = readSentence(text, context)
  assert.deepEqual(
    tokens.map(({ start, end }) => text.slice(start, end)),
    ['Tomorrow', '@Robin Keller,', '#content'],
  )
})

test('waits for the rest of a name', () => {
  const valuesOf = (typed: string) =>
    readSentence(typed, context, { isTyping: true }).values.map(format)
  assert.deepEqual(valuesOf('Ask @Robin'), [])
  assert.deepEqual(valuesOf('Ask @Robin Kel'), [])
  assert.deepEqual(valuesOf('Ask @Robin Keller'), ['Robin Keller'])
  assert.deepEqual(valuesOf('Ask @Elif'), ['Elif'])
  assert.deepEqual(valuesOf('Ask @ines about'), ['Ines Okafor'])
  assert.deepEqual(valuesOf('Write #big'), [])
  assert.deepEqual(valuesOf('Write #big '), ['big'])
})

test('leaves words that were given back', () => {
  for (const [typed, words] of [
    ['Call friday 9am', 'friday 9am'],
    ['Ask @Robin Keller ', '@Robin Keller'],
  ] as const) {
    const { title, values } = readSentence(typed, context, { textWords: new Set([words]) })
    assert.deepEqual([title, values], [typed.trim(), []])
  }
})

test('keeps all names, and one of each other value', () => {
  const { values } = readSentence('Do tomorrow !low #content !high', context)
  assert.deepEqual(values.map(format), ['due 2026-11-21', 'content', '!high'])
  const { values: more } = readSentence('Do today #content', context)
  assert.deepEqual(mergeValues(values, more).map(format), ['!high', 'due 2026-11-20', 'content'])
})

test('takes a name only as a whole, however long', () => {
  const people = ['Robin Keller', 'Robin Keller Jr.', 'Ana María de la Cruz', 'Zoë', 'Bo Lindt']
  const names = {
    ...context,
    members: people.map((name) => ({ id: name, name })),
    tags: ['API docs', 'devops', 'v1.2', 'resign', 'needs design', 'résumé'].map((name) => ({
      id: name,
      name,
    })),
  }
  const readNames = (typed: string) => {
    const { title, values } = readSentence(typed, names)
    return [
      title,
      ...values.map((value) => ('name' in value ? `${value.kind} ${value.name}` : value.kind)),
    ]
  }
  for (const [typed, ...expected] of [
    ['Ask @Robin Keller about it', 'Ask about it', 'who Robin Keller'],
    ['Ask @robin  keller, then', 'Ask then', 'who Robin Keller'],
    ['Ask @Robin Keller Jr. about it', 'Ask about it', 'who Robin Keller Jr.'],
    ['Ask @ana maria de la cruz', 'Ask', 'who Ana María de la Cruz'],
    ['Ask @Robin-Keller @zoe', 'Ask', 'who Robin Keller', 'who Zoë'],
    ['Ask @lindt about it', 'Ask about it', 'who Bo Lindt'],
    ['Ask @Bo Friday', 'Ask', 'who Bo Lindt', 'due'],
    // Other names.
    ['Ask @Bo Linden', 'Ask @Bo Linden'],
    ['Ask @Bo Lindt-Maier about it', 'Ask @Bo Lindt-Maier about it'],
    ['Ask @Rob @Kell', 'Ask @Rob @Kell'],
    ['Write #api docs', 'Write', 'tag API docs'],
    ['Write #needs-design #resume', 'Write', 'tag needs design', 'tag résumé'],
    ['Release notes #v12', 'Release notes', 'new tag v12'],
    ['Sign it #re-sign', 'Sign it', 'new tag re-sign'],
    ['Fix pipeline #dev', 'Fix pipeline', 'new tag dev'],
    ['Tell #api', 'Tell', 'new tag api'],
    ['Tell #v1 #V1.2.', 'Tell', 'new tag v1', 'tag v1.2'],
  ] as const)
    assert.deepEqual(readNames(typed), expected, typed)
})

test('keeps unknown and ambiguous words as text', () => {
  for (const typed of ['See #12', 'Ask @priy', 'Wow! @nobody', 'C# !soon', 'due date'])
    assert.deepEqual(read(typed), [typed])
  assert.deepEqual(
    readSentence('Draw it #big-idea', { ...context, canCreateTags: false }).title,
    'Draw it #big-idea',
  )
  const [tag] = readSentence('Draw it #Big-Idea', context).values
  assert.equal(tag && getValueKey(tag), 'new tag big idea')
})
