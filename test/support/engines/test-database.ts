import pg from 'pg'
import { parseConfig } from '#config/config.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { pickSlots, unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import { createEncryptor } from '#db/installation/sealed-values.ts'
import { FROM_TEMPLATE } from '../postgres.ts'
import { afterFile } from '../runner/cleanup.ts'

export { afterFile as atEnd }

/** The options of a store other than its location. */
export const TEST_STORE_OPTIONS = {
  baseUrl: 'http://127.0.0.1:4000',
  seal: createEncryptor('a secret of the tests only'),
  settings: parseConfig({}).settings,
}

/** Closes the store after the tests of this file. */
export function closeAfterFile<S extends Storage>(storage: S): S {
  afterFile(() => storage.close())
  return storage
}

/** The number of databases that this process has created, for unique names. */
let databases = 0

interface TestDatabase {
  url: string
  /** A connection that bypasses the store. */
  admin: pg.Client
}

/** Creates an empty PostgreSQL database. */
export const createEmptyDatabase = (): Promise<TestDatabase> => newDatabase('')

/** Creates a PostgreSQL database with Docket's tables. */
export const createMigratedDatabase = (): Promise<TestDatabase> => newDatabase(` ${FROM_TEMPLATE}`)

async function newDatabase(from: string): Promise<TestDatabase> {
  const server = process.env.TEST_POSTGRES ?? ''
  databases += 1
  const name = `store_${process.pid}_${databases}`
  const url = server.replace(/\/postgres$/, `/${name}`)
  await runStatement(server, `create database ${name}${from}`)
  afterFile(() => runStatement(server, `drop database ${name} with (force)`))
  const admin = new pg.Client(url)
  await admin.connect()
  afterFile(() => admin.end())
  return { url, admin }
}

async function runStatement(url: string, sql: string) {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(sql)
  await client.end()
}

/** Writes a row without meaning, for tests of the store itself. */
export const writeNote = (storage: Storage, name: string, value = '') =>
  storage.write(ANONYMOUS_ACTOR, (tx) => tx.run(insertNote, { name, value }))

export const readNoteNames = async (storage: Storage): Promise<string[]> => {
  const rows = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(allNotes, {}))
  return rows.map(({ name }) => name)
}

export const insertNote = unscopedCommand((db, $: { name: string; value: string }) =>
  db.insertInto('installation').values(pickSlots($, 'name', 'value')),
)

export const deleteNotes = unscopedCommand((db, _: object) => db.deleteFrom('installation'))

export const allNotes = unscopedQuery((db) =>
  db
    .selectFrom('installation')
    .select(['name', 'value'])
    // Rows that migrations have inserted.
    .where('name', 'not like', 'schema %')
    .orderBy('name'),
)
