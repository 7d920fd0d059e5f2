import assert from 'node:assert/strict'
import type { Storage } from '#core/transaction.ts'
import { openFiles } from '#files/open.ts'
import { cancelImportsOfDeletedWorkspaces, createImportJob } from '#importers/job/import-jobs.ts'
import { createJobWorker } from '#jobs/queue/job-worker.ts'
import type { Import, ImportWarning, RowError } from '#resources/imports/internal.ts'
import { type TestDocket, testLog } from '../engines/test-docket.ts'
import { assertMatchesContract } from '../scenario/scenario.ts'
import { newClientAddress } from './cookie-client.ts'
import { createTestSession } from './test-session.ts'
import type { TestWorkspace } from './test-workspace.ts'

interface RowMessages<T> {
  data: ({ number: number; title: string } & T)[]
}

/** The warnings of some rows, each as a short text such as `due_date: not_a_date soon`. */
export const describeWarnings = (rows: readonly { warnings: ImportWarning[] }[]): string[] =>
  rows
    .flatMap(({ warnings }) => warnings)
    .map(({ code, field, value, number }) =>
      [`${field}:`, code, value, number ?? ''].filter((word) => word !== '').join(' '),
    )

/** Why an import has failed, as a short text such as `too_many_tasks 1000`; blank if it has not. */
export const describeImportError = ({ error }: Pick<Import, 'error'>): string =>
  error === null
    ? ''
    : [error.code, error.value, error.number ?? ''].filter((part) => part !== '').join(' ')

type ImporterMethod = 'GET' | 'POST' | 'PATCH'

/** A client of the web app's import endpoints. Background work runs only when the test calls it. */
export async function createImporter(
  served: TestDocket,
  team: TestWorkspace,
  role: 'owner' | 'admin' = 'admin',
) {
  const { server, storage, config } = served
  const { headers } = await createTestSession(storage, team, role, config.baseUrl)
  const remoteAddress = newClientAddress()
  const means = {
    storage,
    files: openFiles(config),
    maxRows: 1_000,
    taskBatchSize: 25,
  }

  /** Does one step of the import whose turn it is; returns how many there are. */
  const step = (through: Storage = storage) => {
    const kinds = [{ ...createImportJob({ ...means, storage: through }, 0), maxRunning: 1 }]
    const deps = { storage: through, kinds, log: testLog }
    return createJobWorker(deps).runDueJobs()
  }

  async function ask<T>(
    method: ImporterMethod,
    url: string,
    body?: object,
    status = 200,
  ): Promise<T> {
    const reply = await server.inject({
      method,
      url,
      remoteAddress,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { payload: JSON.stringify(body) }),
    })
    assert.equal(reply.statusCode, status, `${method} ${url}: ${reply.body}`)
    if (status < 300) assertMatchesContract(method, url.replace(/\?.*/, ''), reply.json())
    return reply.json() as T
  }

  const uploadReply = (filename: string, bytes: string | Uint8Array) =>
    server.inject({
      method: 'POST',
      remoteAddress,
      payload: Buffer.from(bytes),
      url: `/internal/imports?filename=${encodeURIComponent(filename)}`,
      headers: { ...headers, 'content-type': 'application/octet-stream' },
    })

  const one = (id: string, what = '') => `/internal/imports/${id}${what}`

  return {
    ask,
    means,
    uploadReply,
    async upload(filename: string, bytes: string | Uint8Array): Promise<Import> {
      const reply = await uploadReply(filename, bytes)
      assert.equal(reply.statusCode, 201, reply.body)
      return reply.json() as Import
    },
    get: (id: string) => ask<Import>('GET', one(id)),
    choose: (id: string, body: object) => ask<Import>('PATCH', one(id), body),
    act: (id: string, act: string) => ask<Import>('POST', one(id, `/${act}`)),
    faults: async (id: string) =>
      (await ask<RowMessages<{ error: RowError | null }>>('GET', one(id, '/faults'))).data,
    warnings: async (id: string) =>
      (await ask<RowMessages<{ warnings: ImportWarning[] }>>('GET', one(id, '/warnings'))).data,
    /** Runs the background work until nothing is left. */
    async work(): Promise<void> {
      await cancelImportsOfDeletedWorkspaces(storage)
      while ((await step()) > 0);
    },
    step,
  }
}
