import { test } from 'node:test'
import { IMPORT_KINDS } from '#resources/imports/internal.ts'
import { HOSTILE_IMPORTS } from '../../processes/hostile-imports.ts'
import { assertShortTurns } from '../../processes/job-turns.ts'

test('no background job holds the event loop, with every hostile file', (t) =>
  assertShortTurns(
    t,
    IMPORT_KINDS.flatMap((kind) => HOSTILE_IMPORTS[kind].map((file) => ({ kind, file }))),
  ))
