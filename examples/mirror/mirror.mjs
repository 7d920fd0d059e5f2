// @ts-check
import { readFile, rm } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { createChangesClient } from './changes-client.mjs'
import { removeTemporaryFiles, replaceFile } from './replace-file.mjs'

/** @typedef {import('./changes-client.mjs').Put} Put */

const USAGE = `Usage: DOCKET_URL=https://… DOCKET_KEY=dkt_… node examples/mirror/main.ts copy.json [--follow]

DOCKET_URL is the address of Docket, and DOCKET_KEY an API key with the scopes of what to copy.`
const WAIT_SECONDS = 30

const { file, url, key, isFollowing } = readSettings()
/** The copy while it is not up to date, so that the next run can go on with it. */
const unfinished = `${file}.part`
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort())
const changes = createChangesClient({ url, key, isPersistent: isFollowing, stop: stop.signal })

/** The newest `put` of each record. */
const puts = /** @type {Map<string, Put>} */ (new Map())
/** By task: the ids of its comments, time entries and attachments. */
const parts = /** @type {Map<string, Set<string>>} */ (new Map())
/** @type {string | undefined} */
let position
/** The position in `file`. @type {string | undefined} */
let savedPosition

try {
  await removeTemporaryFiles(file)
  if (!(await loadCopy(unfinished)) && (await loadCopy(file))) savedPosition = position
  await bringUpToDate()
} catch (error) {
  if (!stop.signal.aborted) exit(1, error instanceof Error ? error.message : String(error))
}

/** Applies what has changed since the position; when following, until the program is stopped. */
async function bringUpToDate() {
  let isUpToDate = false
  let saveAt = 0
  for (let count = 0; !isUpToDate || isFollowing; ) {
    const batch = await changes.load(position, isUpToDate ? WAIT_SECONDS : 0)
    if (!batch) {
      console.error('The position has expired: beginning again.')
      puts.clear()
      position = undefined
      savedPosition = undefined
      isUpToDate = false
      continue
    }
    for (const change of batch.data) apply(change)
    count += batch.data.length
    position = batch.position
    isUpToDate = !batch.has_more
    if (isUpToDate && position !== savedPosition) {
      await saveCopy(file)
      savedPosition = position
      await rm(unfinished, { force: true })
      console.log(`${count} changes, ${puts.size} records`)
      count = 0
    } else if (!isUpToDate && performance.now() >= saveAt) {
      const startedAt = performance.now()
      await saveCopy(unfinished)
      // A large copy takes long to save; at most a fifth of the time is spent on it.
      saveAt = performance.now() + 4 * (performance.now() - startedAt)
    }
  }
}

/** @param {import('./changes-client.mjs').Change} change */
function apply(change) {
  const { op, id } = change
  if (op === 'put') {
    puts.set(id, change)
    const { task_id } = change.record
    if (task_id) parts.set(task_id, (parts.get(task_id) ?? new Set()).add(id))
  } else if (op === 'delete') {
    puts.delete(id)
    for (const part of parts.get(id) ?? []) {
      if (puts.get(part)?.record.task_id === id) puts.delete(part)
    }
    parts.delete(id)
  } else {
    for (const put of puts.values()) if (put.project_id === id) puts.delete(put.id)
  }
}

/** @param {string} path */
function saveCopy(path) {
  /** @type {Record<string, Record<string, object>>} */
  const records = {}
  /** Of records that do not name their project, such as comments. @type {Record<string, string>} */
  const projects = {}
  for (const { type, id, project_id, record } of puts.values()) {
    records[type] = Object.assign(records[type] ?? {}, { [id]: record })
    if (project_id && record.project_id !== project_id) projects[id] = project_id
  }
  return replaceFile(path, JSON.stringify({ position, records, projects }))
}

/**
 * Loads a saved copy; returns whether there is one.
 *
 * @param {string} path
 */
async function loadCopy(path) {
  const text = await readFile(path, 'utf8').catch((error) => {
    if (error.code !== 'ENOENT') throw new Error(`${path} cannot be read: ${error.message}`)
  })
  if (text === undefined) return false
  try {
    const copy = JSON.parse(text)
    if (typeof copy.position !== 'string') throw new Error('no position')
    for (const [type, byId] of Object.entries(copy.records)) {
      for (const [id, record] of Object.entries(byId)) {
        const project_id = record.project_id ?? copy.projects?.[id] ?? null
        apply({ op: 'put', type, id, project_id, record })
      }
    }
    position = copy.position
    return true
  } catch {
    throw new Error(`${path} is no copy that this program has saved. Name another file.`)
  }
}

function readSettings() {
  try {
    const options = /** @type {const} */ ({ follow: { type: 'boolean', default: false } })
    const { values, positionals } = parseArgs({ allowPositionals: true, options })
    const { DOCKET_URL = '', DOCKET_KEY = '' } = process.env
    const [path = '', ...others] = positionals
    if (!path || others.length > 0) throw new Error('Name the file of the copy.')
    if (!URL.canParse(DOCKET_URL)) throw new Error('DOCKET_URL is missing, or is no URL.')
    // Also what no header can hold: the error of fetch would show the key.
    if (!/^[!-~]+$/.test(DOCKET_KEY)) throw new Error('DOCKET_KEY is missing, or is no API key.')
    const url = DOCKET_URL.replace(/\/+$/, '')
    return { file: path, url, key: DOCKET_KEY, isFollowing: values.follow }
  } catch (error) {
    return exit(2, `${error instanceof Error ? error.message : error}\n\n${USAGE}`)
  }
}

/**
 * @param {number} code
 * @param {string} reason
 * @returns {never}
 */
function exit(code, reason) {
  console.error(reason)
  process.exit(code)
}
