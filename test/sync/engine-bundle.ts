import { join } from 'node:path'
import { Script } from 'node:vm'
import { rolldown } from 'rolldown'

/** The exports of the bundled code. */
export type PageEngine = typeof import('./page-engine.ts')

/** The globals of a browser that the code of a page uses. */
export type PageGlobals = Readonly<Record<string, unknown>>

/** Loads the code of a page once more: its modules have a state of their own. */
export type EngineLoader = (globals: PageGlobals) => PageEngine

const GLOBAL_NAMES = [
  'globalThis',
  'window',
  'navigator',
  'localStorage',
  'location',
  'indexedDB',
  'addEventListener',
  'removeEventListener',
  'document',
  'fetch',
  'Response',
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'Date',
  'Math',
  'performance',
  'crypto',
  'BroadcastChannel',
]

/** What does not run outside of a browser, and what the simulation has no use for. */
const STUBS: Readonly<Record<string, string>> = {
  // The original needs XMLHttpRequest.
  'lib/http/upload.ts': `
    import { fetchOrThrow } from './fetch-or-throw.ts'
    import { readChangeNumber, readErrorResponse } from './request-endpoint.ts'
    import { noteOperations } from './request-operations.ts'
    export async function uploadFile(url, file, { signal, idempotencyKey }) {
      const isAborted = new Promise((_, reject) => signal.addEventListener('abort', reject))
      const headers = { 'idempotency-key': idempotencyKey }
      const sent = fetchOrThrow(url, { method: 'POST', headers, body: file.name })
      const reply = await Promise.race([sent, isAborted])
      if (!reply.ok) throw await readErrorResponse(reply)
      noteOperations(idempotencyKey, [reply.headers.get('x-operation-id')])
      return { body: await reply.json(), changeNumber: readChangeNumber(reply) }
    }`,
  'data/live/user-activity.ts':
    'export const isPointing = () => false; export const isUserBusy = isPointing; export const whenUserIdle = () => () => {}',
  'messages/de/index.ts': 'export {}',
  'messages/define-messages.ts': 'export const defineMessages = (_, english) => english',
}

/** Bundles the code of the web app that keeps, shows and sends what people do. */
export async function bundleEngine(): Promise<EngineLoader> {
  const bundle = await rolldown({
    input: join(import.meta.dirname, 'page-engine.ts'),
    platform: 'browser',
    logLevel: 'silent',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    plugins: [
      {
        name: 'simulation',
        load: (id) => Object.entries(STUBS).find(([file]) => id.endsWith(file))?.[1],
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'iife', name: 'page', codeSplitting: false })
  await bundle.close()
  const script = new Script(`(({${GLOBAL_NAMES}}) => {${output[0].code};return page})`)
  return script.runInThisContext()
}
