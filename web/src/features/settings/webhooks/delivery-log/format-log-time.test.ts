import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setViewer } from '../../../../lib/locale/viewer.ts'
import { formatAttemptTime, formatLogTime } from './format-log-time.ts'

setViewer({ zone: 'Europe/Zurich', locale: 'en-GB' })

test('a time of the delivery log fits on one line of the gutter', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-27T12:00:00Z') })
  const instants = ['2026-11-27T08:02:11Z', '2026-11-24T16:14:00Z', '2026-11-12T16:14:00Z']
  assert.deepEqual(instants.map(formatLogTime), ['09:02:11', 'Tue 17:14', '12 Nov'])
  assert.deepEqual(instants.map(formatAttemptTime), ['09:02:11', 'Tue 24 17:14', '12 Nov 17:14'])
})
