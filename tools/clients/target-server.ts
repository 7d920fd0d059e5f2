import { once } from 'node:events'
import { createServer } from 'node:http'
import type { OpenApiDocument } from '#http/api-reference/openapi/operations.ts'
import { findFreePort } from '#test/support/system/free-port.ts'
import { endServer, seedDataDir, startServer } from '../../test/support/server/server-process.ts'
import { startObservingProxy } from './observing-proxy.ts'

/** A server behind the observing proxy, with a workspace for each client that is tried on it. */
export interface TargetServer {
  readonly document: OpenApiDocument
  readonly proxy: Awaited<ReturnType<typeof startObservingProxy>>
  /** Variables for the program of a client, which name a workspace that no other program uses. */
  createEnv(): Record<string, string>
  stop(): Promise<void>
}

/** Starts a server on a new database with as many workspaces, and a receiver for webhooks. */
export async function startTargetServer(
  dataDir: string,
  workspaceCount: number,
): Promise<TargetServer> {
  const receiver = createServer((request, reply) => {
    request.resume().on('end', () => reply.writeHead(204).end())
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const port = await findFreePort()
  const proxy = await startObservingProxy(`http://127.0.0.1:${port}`)
  const env = { DOCKET_BASE_URL: proxy.url }
  const workspaces: Awaited<ReturnType<typeof seedDataDir>>[] = []
  while (workspaces.length < workspaceCount) workspaces.push(await seedDataDir(dataDir, env))
  const server = await startServer(dataDir, { env, port })
  const document = await (await fetch(`${proxy.url}/api/v1/openapi.json`)).json()
  proxy.observe(document)
  const address = receiver.address()
  const receiverPort = typeof address === 'object' ? address?.port : undefined
  return {
    document,
    proxy,
    createEnv() {
      const workspace = workspaces.pop()
      if (!workspace) throw new Error('No workspace is left for another client')
      return {
        DOCKET_URL: proxy.url,
        DOCKET_KEY: workspace.keys.owner,
        DOCKET_PROJECT: workspace.project,
        DOCKET_RECEIVER: `http://127.0.0.1:${receiverPort}/hook`,
      }
    },
    async stop() {
      await endServer(server, 'SIGTERM')
      receiver.closeAllConnections()
      receiver.close()
      proxy.stop()
    },
  }
}
