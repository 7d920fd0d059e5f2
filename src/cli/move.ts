import { resolve } from 'node:path'
import { invalid } from '#core/refusal.ts'
import { SENT_FROM_NOWHERE } from '#delivery/home.ts'
import { moveTo, type Wanted } from '#moving/place.ts'
import { fault } from '#wire/fault.ts'
import { Line, Optional } from '#wire/schema.ts'
import type { Config } from '../config.ts'
import { command } from './command.ts'
import { openProgress } from './progress.ts'
import { shown } from './show.ts'

/** Where nobody looks, as in the log of a job. */
const PLAIN_EVERY_MS = 10_000

const TARGETS = 'postgres://user@host/database or sqlite:<directory>'

const migrateTo = command({
  name: 'migrate-to',
  summary: 'Move all data to the other engine, into an empty place; broken off, it goes on',
  options: {
    target: Optional(Line(1, 4_096, { description: `${TARGETS}; else DOCKET_MOVE_TO` })),
  },
  places: ['target'],
  async run({ config }, { target = config.moveTo }) {
    const wanted = wantedOf(target, config)
    const progress = openProgress('Moving', { plainEvery: PLAIN_EVERY_MS })
    const began = performance.now()
    const moved = await moveTo(wanted, SENT_FROM_NOWHERE, progress.told).finally(progress.end)
    return {
      to: 'toUrl' in wanted ? named(wanted.toUrl) : wanted.toDir,
      rows: moved.tables.reduce((sum, { rows }) => sum + rows, 0),
      resumed_after: moved.resumed_after,
      seconds: Math.round((performance.now() - began) / 1_000),
      sending: false,
      next: nextAfter(wanted, config),
      tables: moved.tables,
    }
  },
  text(printed) {
    const { tables = [], next = [], ...rest } = printed as { tables?: object[]; next?: string[] }
    return [shown({ data: tables }), '', shown(rest), '', ...next].join('\n')
  },
})

export const moveCommands = [migrateTo]

function wantedOf(target: string | undefined, { dataDir, databaseUrl }: Config): Wanted {
  if (target?.startsWith('sqlite:')) {
    if (databaseUrl === undefined)
      throw wrong('must be postgres://…: the data is in SQLite already')
    return { url: databaseUrl, toDir: resolve(target.slice('sqlite:'.length)) }
  }
  if (!/^postgres(ql)?:\/\//.test(target ?? '') || target === undefined) {
    throw wrong(`must be ${TARGETS}`)
  }
  if (databaseUrl === undefined) return { dataDir, toUrl: target }
  throw wrong('must be sqlite:<directory>: DOCKET_DATABASE_URL is set, the data is in PostgreSQL')
}

const wrong = (why: string) => invalid(fault('target', 'invalid_value', why))

/** An address without what only its owner may know. */
function named(url: string): string {
  const { protocol, hostname, port, pathname } = new URL(url)
  return `${protocol}//${hostname}${port && `:${port}`}${pathname}`
}

function nextAfter(wanted: Wanted, { dataDir, secret, s3 }: Config): string[] {
  const toDir = 'toDir' in wanted ? wanted.toDir : undefined
  const from = resolve(dataDir)
  const next: string[] = []
  if (toDir === undefined) next.push('Set DOCKET_DATABASE_URL to the target.')
  else next.push(`Take DOCKET_DATABASE_URL away, and set DOCKET_DATA_DIR to ${toDir}.`)
  if (secret !== undefined) next.push('Keep DOCKET_SECRET.')
  else if (toDir === undefined || toDir === from) next.push(`Keep ${from}/secret.`)
  else next.push(`Copy ${from}/secret to ${toDir}/secret, before the first start.`)
  if (s3) next.push('Keep the bucket.')
  else if (toDir === undefined || toDir === from) next.push(`Keep ${from}/files.`)
  else next.push(`Copy ${from}/files to ${toDir}/files.`)
  next.push('Start. When nothing sends from the old place any more: docket webhook resume.')
  next.push('The source is as it was: keep it away from servers, and delete it when all is well.')
  return next
}
