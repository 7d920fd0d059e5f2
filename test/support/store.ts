import pg from 'pg'
import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { sealer } from '#storage/seal.ts'
import { commandOfAll, queryOfAll, row } from '#storage/statement.ts'
import { configFrom } from '../../src/config.ts'
import { atFileEnd } from './endings.ts'
import { TEMPLATE } from './postgres.ts'

export { atFileEnd as atEnd }

/** What a store needs beside its place. */
export const surroundings = {
  baseUrl: 'http://127.0.0.1:4000',
  seal: sealer('a secret of the tests only'),
  settings: configFrom({}).settings,
}

/** A store that is closed when the tests of this file are over. */
export function closing<S extends Storage>(storage: S): S {
  atFileEnd(() => storage.close())
  return storage
}

/** Databases made by this process, for names of their own. */
let databases = 0

interface Database {
  url: string
  /** A connection for looking behind the store. */
  admin: pg.Client
}

/** A PostgreSQL database of its own, with nothing in it. */
export const emptyDatabase = (): Promise<Database> => newDatabase('')

/** The same, with the tables of Docket. */
export const migratedDatabase = (): Promise<Database> => newDatabase(` template ${TEMPLATE}`)

async function newDatabase(from: string): Promise<Database> {
  const server = process.env.TEST_POSTGRES ?? ''
  databases += 1
  const name = `store_${process.pid}_${databases}`
  const url = server.replace(/\/postgres$/, `/${name}`)
  await once(server, `create database ${name}${from}`)
  atFileEnd(() => once(server, `drop database ${name} with (force)`))
  const admin = new pg.Client(url)
  await admin.connect()
  atFileEnd(() => admin.end())
  return { url, admin }
}

async function once(url: string, sql: string) {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(sql)
  await client.end()
}

/** Rows of no meaning, to write and to look for. */
export const put = (storage: Storage, name: string, value = '') =>
  storage.write(NOBODY, (tx) => tx.run(insertNote, { name, value }))

export const names = async (storage: Storage): Promise<string[]> => {
  const rows = await storage.read(NOBODY, (tx) => tx.all(notes, {}))
  return rows.map(({ name }) => name)
}

export const insertNote = commandOfAll((db, $: { name: string; value: string }) =>
  db.insertInto('installation').values(row($, 'name', 'value')),
)

export const deleteNotes = commandOfAll((db, _: object) => db.deleteFrom('installation'))

export const notes = queryOfAll((db) =>
  db
    .selectFrom('installation')
    .select(['name', 'value'])
    // What migrations have left there.
    .where('name', 'not like', 'schema %')
    .orderBy('name'),
)
