import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  parseQuickAdd,
  type QuickAddChip,
  type QuickAddVocabulary,
  toTitle,
} from './parse-quick-add.ts'

const vocabulary: QuickAddVocabulary = {
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
  canCreateTags: true,
}

function format(chip: QuickAddChip): string {
  switch (chip.kind) {
    case 'due':
      return `due ${[chip.date, chip.time].filter(Boolean).join(' ')}`
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
  'Call Anna 9am': ['Call Anna', 'due 2026-11-20 09:00'],
  'Call Anna at 9:15': ['Call Anna', 'due 2026-11-20 09:15'],
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

test('understands what people type as they mean it', () => {
  const read = (typed: string) => {
    const { text, chips } = parseQuickAdd(typed, vocabulary, { finished: true })
    return [toTitle(text), ...chips.map(format)]
  }
  assert.deepEqual(
    Object.fromEntries(Object.keys(SENTENCES).map((typed) => [typed, read(typed)])),
    SENTENCES,
  )
})

test('waits for the rest of a name', () => {
  const chipsOf = (typed: string) => parseQuickAdd(typed, vocabulary).chips.map(format)
  assert.deepEqual(chipsOf('Ask @Robin '), [])
  assert.deepEqual(chipsOf('Ask @Robin Kel'), [])
  assert.deepEqual(chipsOf('Ask @Robin Keller '), ['Robin Keller'])
  assert.deepEqual(chipsOf('Ask @Elif '), ['Elif'])
  assert.deepEqual(chipsOf('Ask @ines about '), ['Ines Okafor'])
})

test('leaves words at the end alone while more may follow, and those that were given back', () => {
  assert.deepEqual(parseQuickAdd('Call Anna friday ', vocabulary).chips, [])
  const textWords = new Set(['friday 9am'])
  const { text } = parseQuickAdd('Call friday 9am', vocabulary, { finished: true, textWords })
  assert.equal(text, 'Call friday 9am')
  const given = new Set(['@Robin Keller'])
  const { chips } = parseQuickAdd('Ask @Robin Keller ', vocabulary, {
    finished: true,
    textWords: given,
  })
  assert.deepEqual(chips, [])
})
