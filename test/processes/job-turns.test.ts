import { test } from 'node:test'
import { IMPORT_KINDS } from '#resources/imports/internal.ts'
import { HOSTILE_IMPORTS } from './hostile-imports.ts'
import { assertShortTurns } from './job-turns.ts'

/** One of each parser; test/experiments/jobs/job-turns.test.ts has all. */
const SHORT_FORM =
  /^(csv: long cells|docket: long rows|trello: (an element of many names|a card)|vikunja: HTML of many "<p>")/

test('no background job holds the event loop, whatever a client has sent', (t) =>
  assertShortTurns(
    t,
    IMPORT_KINDS.flatMap((kind) =>
      HOSTILE_IMPORTS[kind]
        .filter(({ name }) => SHORT_FORM.test(`${kind}: ${name}`))
        .map((file) => ({ kind, file })),
    ),
  ))
