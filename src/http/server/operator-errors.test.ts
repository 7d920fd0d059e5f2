import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceUnavailable } from '#core/api-error.ts'
import { createProblemLog, describeOperatorError } from './operator-errors.ts'

const DATA_DIR = '/var/lib/docket'
const problemOf = (error: unknown) => describeOperatorError(error, DATA_DIR)?.problem

const failWith = (fields: object) => Object.assign(new Error('failed'), fields)

test('describes errors that an operator has to mend, with their place', () => {
  const SQLITE_FULL = failWith({ errcode: 13 })
  const problems: [unknown, string | undefined][] = [
    [SQLITE_FULL, 'The disk is full: /var/lib/docket'],
    [serviceUnavailable('Not now.', SQLITE_FULL), 'The disk is full: /var/lib/docket'],
    [failWith({ code: 'ENOSPC' }), 'The disk is full: /var/lib/docket'],
    [
      failWith({ code: 'ENOSPC', path: '/var/lib/docket/files/draft-1' }),
      'The disk is full: /var/lib/docket',
    ],
    [failWith({ code: 'ENOSPC', path: '/backups/a' }), 'The disk is full: /backups'],
    [
      failWith({ code: 'EROFS', path: '/var/lib/docket' }),
      'The file system is read-only: /var/lib/docket',
    ],
    [failWith({ code: '53100' }), 'The disk of PostgreSQL is full'],
    [new Error('anything else'), undefined],
    [failWith({ errcode: 19 }), undefined],
    [undefined, undefined],
  ]
  for (const [error, problem] of problems) assert.equal(problemOf(error), problem)
  const denied = describeOperatorError(failWith({ code: 'EACCES', path: '/proc/1/mem' }), DATA_DIR)
  assert.match(denied?.problem ?? '', /^\/proc\/1\/mem is not accessible by user \d+/)
  assert.doesNotMatch(denied?.remedy ?? '', /chown/)
})

test('logs a problem once, then each minute with the number of failures, and when it is over', () => {
  const lines: string[] = []
  const minutes: (() => void)[] = []
  const log = createProblemLog(
    (_, message) => lines.push(message),
    (run) => {
      minutes.push(run)
      return () => minutes.splice(minutes.indexOf(run), 1)
    },
  )
  const passMinute = () => {
    for (const run of [...minutes]) run()
  }
  const write = (fields: object, message: string) =>
    lines.push(`${JSON.stringify(fields)} ${message}`)
  const full = { problem: 'Full', remedy: 'Free up space.' }
  for (let failed = 0; failed < 5; failed += 1) log(full, write)
  log({ problem: 'Read-only', remedy: 'Mount it.' }, write)
  passMinute()
  passMinute()
  log(full, write)
  assert.deepEqual(lines, [
    '{"failures":1} Full. Free up space.',
    '{"failures":1} Read-only. Mount it.',
    '{"failures":4} Full. Free up space.',
    'This has not occurred for a minute: Read-only',
    'This has not occurred for a minute: Full',
    '{"failures":1} Full. Free up space.',
  ])
})
