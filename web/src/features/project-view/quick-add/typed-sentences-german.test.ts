import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeMessages } from '../../../messages/app/time.ts'
import { germanTime } from '../../../messages/de/app/time.ts'
import { parseQuickAdd } from './parse-quick-add.ts'

Object.assign(timeMessages.typed, germanTime.typed)

/** What people type in German, and the title and value that they expect. The day is a Friday. */
const SENTENCES: Readonly<Record<string, readonly string[]>> = {
  'Anna anrufen Freitag': ['Anna anrufen', '2026-11-27'],
  'Anna anrufen nächsten Montag': ['Anna anrufen', '2026-11-23'],
  'Anna anrufen am Freitag um 9 Uhr': ['Anna anrufen', '2026-11-27 09:00'],
  'Anna anrufen morgen um 14:30': ['Anna anrufen', '2026-11-21 14:30'],
  'Miete zahlen übermorgen': ['Miete zahlen', '2026-11-22'],
  'Miete zahlen am 1. Dezember': ['Miete zahlen', '2026-12-01'],
  'Bericht senden bis Montag': ['Bericht senden', '2026-11-23'],
  'Bericht senden 15.12.': ['Bericht senden', '2026-12-15'],
  'Bericht senden in 3 Tagen': ['Bericht senden', '2026-11-23'],
  'Bericht senden nächste Woche': ['Bericht senden', '2026-11-23'],
  'Bücher schließen Ende des Monats': ['Bücher schließen', '2026-11-30'],
  'Standup jeden Montag um 9:30': ['Standup', 'FREQ=WEEKLY;BYDAY=MO 2026-11-23 09:30'],
  'Blumen gießen alle 2 Wochen': ['Blumen gießen', 'FREQ=WEEKLY;INTERVAL=2 2026-11-20'],
  'Backups prüfen täglich': ['Backups prüfen', 'FREQ=DAILY 2026-11-20'],
  'Konzept schreiben 3 Stunden': ['Konzept schreiben', '180'],
  'Anna anrufen Mo': ['Anna anrufen', '2026-11-23'],
  'Anna anrufen bis Do': ['Anna anrufen', '2026-11-26'],
  'Anna anrufen Fr 9 Uhr': ['Anna anrufen', '2026-11-27 09:00'],
  'Anna anrufen morgen früh': ['Anna anrufen', '2026-11-21 09:00'],
  'Anna anrufen heute Abend': ['Anna anrufen', '2026-11-20 18:00'],
  'Anna anrufen heute um 14.30 Uhr': ['Anna anrufen', '2026-11-20 14:30'],
  'Anna anrufen in einer halben Stunde': ['Anna anrufen', '2026-11-20 11:00'],
  'Bericht senden in zwei Wochen': ['Bericht senden', '2026-12-04'],
  'Bericht senden Ende nächster Woche': ['Bericht senden', '2026-11-27'],
  'Bericht senden bis Ende Dezember': ['Bericht senden', '2026-12-31'],
  'Bericht senden am Wochenende': ['Bericht senden', '2026-11-21'],
  'Bericht senden am 15.': ['Bericht senden', '2026-12-15'],
  'Bericht senden am Montag, den 15.12.': ['Bericht senden', '2026-12-15'],
  'Standup jeden zweiten Montag': ['Standup', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO 2026-11-23'],
  'Standup jeden Morgen': ['Standup', 'FREQ=DAILY 2026-11-20 09:00'],
  'Standup werktags um 9': ['Standup', 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR 2026-11-20 09:00'],
  'Miete zahlen jeden Monat am 1.': ['Miete zahlen', 'FREQ=MONTHLY;BYMONTHDAY=1 2026-12-01'],
  'Konzept schreiben eine halbe Stunde': ['Konzept schreiben', '30'],
  'Konzept schreiben !hoch': ['Konzept schreiben', 'high'],
  'Anna anrufen heute Abend um 8': ['Anna anrufen', '2026-11-20 20:00'],
  'Anna anrufen morgen um halb neun': ['Anna anrufen', '2026-11-21 08:30'],
  'Anna anrufen Freitag abends': ['Anna anrufen', '2026-11-27 18:00'],
  'Bericht senden fällig am Freitag': ['Bericht senden', '2026-11-27'],
  'Bericht senden bis spätestens Freitag': ['Bericht senden', '2026-11-27'],
  'Bericht senden Anfang nächster Woche': ['Bericht senden', '2026-11-23'],
  'Bericht senden kommende Woche': ['Bericht senden', '2026-11-23'],
  'Bericht senden am 24.12': ['Bericht senden', '2026-12-24'],
  'Sport dienstags und donnerstags um 18 Uhr': [
    'Sport',
    'FREQ=WEEKLY;BYDAY=TU,TH 2026-11-24 18:00',
  ],
  'Urlaub vom 1.12. bis 5.12.': ['Urlaub vom 1.12. bis 5.12.'],
  'Raum 24.12': ['Raum 24.12'],
  'Guten Morgen': ['Guten Morgen'],
  'Schönes Wochenende': ['Schönes Wochenende'],
  'Was ist zu tun, Do': ['Was ist zu tun, Do'],
  'Protokoll vom Freitag': ['Protokoll vom Freitag'],
  'Von Montag bis Freitag': ['Von Montag bis Freitag'],
  'Mach es so': ['Mach es so'],
  'Version 1.9': ['Version 1.9'],
}

test('understands what people type in German', () => {
  const vocabulary = {
    tags: [],
    members: [],
    me: '',
    today: '2026-11-20',
    clock: () => '10:30',
    canCreateTags: true,
  }
  const read = (typed: string) => {
    const { text, chips } = parseQuickAdd(typed, vocabulary, { finished: true })
    const values = chips.map((chip) =>
      [
        'rrule' in chip && chip.rrule,
        'date' in chip && chip.date,
        'time' in chip && chip.time,
        'seconds' in chip && chip.seconds / 60,
        'priority' in chip && chip.priority,
      ]
        .filter(Boolean)
        .join(' '),
    )
    return [text.trim(), ...values]
  }
  assert.deepEqual(
    Object.fromEntries(Object.keys(SENTENCES).map((typed) => [typed, read(typed)])),
    SENTENCES,
  )
})
