import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { onStopSignal } from './stop-signals.ts'

test('signals within two seconds are one stop, and a later one ends at once', () => {
  const calls: string[] = []
  const source = new EventEmitter()
  let time = 0
  onStopSignal(
    (signal) => calls.push(signal),
    () => calls.push('now'),
    { source, now: () => time },
  )
  const receive = (signal: NodeJS.Signals, at: number) => {
    time = at
    source.emit(signal)
    return calls.splice(0)
  }
  assert.deepEqual(receive('SIGINT', 10), ['SIGINT'])
  assert.deepEqual(receive('SIGINT', 25), [])
  assert.deepEqual(receive('SIGTERM', 2_010), [])
  assert.deepEqual(receive('SIGINT', 2_011), ['now'])
  assert.deepEqual(receive('SIGTERM', 2_012), ['now'])
})
