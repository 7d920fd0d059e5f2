import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { germanRefusals } from '../../messages/de/app/refusals.ts'
import { toPersonWords } from './problem-words.ts'
import {
  holdReadsDuring,
  pauseForRateLimit,
  rateLimitPause,
  waitForRateLimitPause,
  waitForSessionPause,
} from './request-pause.ts'

test('reads wait for all writes that may renew the session, whether they succeed or fail', async () => {
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const written = holdReadsDuring(first.promise)
  let hasRead = false
  const read = waitForSessionPause().then(() => {
    hasRead = true
  })
  await nextTurn()
  const failed = holdReadsDuring(second.promise)
  first.resolve('saved')
  assert.equal(await written, 'saved')
  await nextTurn()
  assert.equal(hasRead, false)
  second.reject(new Error('refused'))
  await assert.rejects(failed, /refused/)
  await read
  await waitForSessionPause()
})

test('a rate limit pauses requests no longer when the clock is set back meanwhile', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const clock = mock.method(Date, 'now', () => 3_600_000)
  pauseForRateLimit(5)
  let hasRead = false
  const read = waitForRateLimitPause().then(() => {
    hasRead = true
  })
  await nextTurn()
  clock.mock.mockImplementation(() => 0)
  mock.timers.tick(5_000)
  await nextTurn()
  assert.equal(hasRead, false)
  mock.timers.tick(10)
  assert.equal(rateLimitPause.get(), 0)
  await nextTurn()
  mock.timers.tick(500)
  await read
  mock.timers.reset()
  clock.mock.restore()
})

const wordsOf = (field: string, code: string, message: string): string =>
  toPersonWords({
    code: 'validation_failed',
    message: `${message} See \`details\` for 1 more error.`,
    details: [{ field, code, message }],
  }).message

test('puts refusals of fields into words without their names', () => {
  const notMember = '`assignee_ids[0]` must be an active member with access to the project.'
  assert.match(wordsOf('assignee_ids[0]', 'not_a_member', notMember), /^This person has no access/)
  const cycle = '`blocked_by_ids[1]` is itself blocked by this task.'
  assert.equal(
    wordsOf('blocked_by_ids[1]', 'cycle', cycle),
    'These tasks would wait for each other.',
  )
  const deep = '`parent_id` would nest tasks more than 5 levels deep.'
  assert.match(wordsOf('parent_id', 'too_deep', deep), /more than 5 levels/)
  const long = '`title` must be at most 500 characters.'
  assert.equal(wordsOf('title', 'too_long', long), 'This must be at most 500 characters.')
  const other = '`start_date` must not be after `due_date`.'
  assert.equal(wordsOf('other', 'invalid_range', other), 'This must not be after due_date.')
})

test('keeps the message of an error without fields, and replaces that of a missing record', () => {
  const error = { code: 'limit_reached', message: 'A task has at most 50 `tags`.', details: [] }
  assert.equal(toPersonWords(error).message, 'A task has at most 50 tags.')
  assert.match(toPersonWords({ ...error, code: 'not_found' }).message, /^It was deleted/)
})

test('says in German how long a text must be, and that an empty one is missing', () => {
  const inGerman = (code: string, message: string) =>
    toPersonWords({ code, message, details: [] }, germanRefusals).message
  assert.equal(inGerman('too_short', 'must be at least 10 characters'), 'Mindestens 10 Zeichen.')
  assert.equal(inGerman('too_short', 'must not be empty'), 'Hier fehlt etwas.')
  assert.equal(inGerman('too_large', 'must be at most 99'), 'Höchstens 99.')
})
