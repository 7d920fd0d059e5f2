/** What is used of Node, whose types a program for browsers does not have. */
interface NodeSocket {
  destroy(): void
}

interface NodeResponse extends AsyncIterable<Uint8Array<ArrayBuffer>> {
  statusCode: number
  statusMessage: string
  rawHeaders: string[]
  destroy(): void
}

interface NodeRequest {
  on(event: 'response', run: (response: NodeResponse) => void): void
  on(event: 'connect', run: (response: NodeResponse, socket: NodeSocket) => void): void
  on(event: 'error', run: (error: Error) => void): void
  end(body?: Uint8Array): void
}

interface NodeAgent {
  createConnection(
    options: { host: string; port: number; tunnelSignal: AbortSignal },
    done: (error: Error | null, socket?: NodeSocket) => void,
  ): void
}

interface NodeHttp {
  request(options: object): NodeRequest
  Agent: new (options: object) => NodeAgent
}

interface NodeProcess {
  env: Readonly<Record<string, string | undefined>>
  versions: Readonly<Record<string, string | undefined>>
  getBuiltinModule?(id: 'node:http' | 'node:https'): NodeHttp
  getBuiltinModule?(id: 'node:tls'): { connect(options: object): NodeSocket }
}

declare const process: NodeProcess | undefined

/** The variables that name proxies, in lower case as curl reads them, or else in capitals. */
const readVariable = (env: NodeProcess['env'], name: string): string =>
  env[name] || env[name.toUpperCase()] || ''

/** The proxy that the environment names for an address; undefined if it is reached directly. */
export function proxyFor(url: URL, env: NodeProcess['env']): URL | undefined {
  const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy'
  const value = readVariable(env, name)
  if (value === '' || isDirect(url, readVariable(env, 'no_proxy'))) return undefined
  const address = value.includes('://') ? value : `http://${value}`
  if (URL.canParse(address) && /^https?:/.test(address)) return new URL(address)
  throw new TypeError(
    `${name.toUpperCase()} must be an address such as http://proxy.example.com:3128`,
  )
}

const withoutBrackets = (host: string) => host.replace(/^\[(.*)\]$/, '$1')

/** Whether NO_PROXY has the host, a domain above it, or `*`, each with or without a port. */
function isDirect({ hostname, port, protocol }: URL, list: string): boolean {
  const host = withoutBrackets(hostname)
  const ownPort = port || (protocol === 'https:' ? '443' : '80')
  return list.split(/[\s,]+/).some((entry) => {
    const [, name = entry, onlyPort] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? []
    const domain = withoutBrackets(name.toLowerCase()).replace(/^\*?\./, '')
    if (domain === '' || (onlyPort !== undefined && onlyPort !== ownPort)) return false
    return domain === '*' || host === domain || host.endsWith(`.${domain}`)
  })
}

/**
 * Sends a request as `fetch` does, in Node through the proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name: the
 * `fetch` of Node ignores them unless it was started with NODE_USE_ENV_PROXY. Deno and Bun read them themselves.
 */
export const fetchThroughProxy: typeof fetch = async (input, init) => {
  // Programs for browsers may have a process as well, made by their bundler.
  if (typeof process === 'undefined' || !process.versions?.node) return fetch(input, init)
  if (process.versions.bun || process.versions.deno) return fetch(input, init)
  const url = new URL(input instanceof Request ? input.url : input)
  const proxy = proxyFor(url, process.env)
  if (!proxy || !process.getBuiltinModule) return fetch(input, init)
  const route = ROUTES.get(proxy.href) ?? createRoute(proxy, process)
  ROUTES.set(proxy.href, route)
  return sendThrough(route, new Request(input, init))
}

/** A proxy with the connections to it and through it that later requests use again. */
interface ProxyRoute {
  /** Sends a request to the proxy itself. */
  requestProxy: NodeHttp['request']
  /** Sends a request to a server, through a tunnel. */
  requestServer: NodeHttp['request']
  host: string
  port: number
  authorization: Readonly<Record<string, string>>
  toProxy: NodeAgent
  tunnels: NodeAgent
}

const ROUTES = new Map<string, ProxyRoute>()

function createRoute(proxy: URL, { getBuiltinModule }: NodeProcess): ProxyRoute {
  const http = getBuiltinModule?.('node:http')
  const https = getBuiltinModule?.('node:https')
  const tls = getBuiltinModule?.('node:tls')
  if (!http || !https || !tls) throw new TypeError('This Node has no modules of its own')
  const isSecure = proxy.protocol === 'https:'
  const credentials = [proxy.username, proxy.password].map(decodeBytes).join(':')
  const authorization: Record<string, string> =
    credentials === ':' ? {} : { 'proxy-authorization': `Basic ${btoa(credentials)}` }
  const host = withoutBrackets(proxy.hostname)
  const port = Number(proxy.port) || (isSecure ? 443 : 80)
  const { Agent, request } = isSecure ? https : http
  const tunnels = new https.Agent({ keepAlive: true })
  // The proxy sees the name of the server alone: TLS is between this program and the server.
  tunnels.createConnection = ({ tunnelSignal: signal, ...options }, done) => {
    const path = `${options.host.includes(':') ? `[${options.host}]` : options.host}:${options.port}`
    const headers = { host: path, ...authorization }
    // Without its signal, a proxy that never answers would hold the request, which has no socket yet, for ever.
    const tunnel = request({ host, port, method: 'CONNECT', path, headers, agent: false, signal })
    tunnel.on('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) return done(null, tls.connect({ ...options, socket }))
      socket.destroy()
      done(new Error(`the proxy ${proxy.host} answers ${statusCode}`))
    })
    tunnel.on('error', done)
    tunnel.end()
  }
  const toProxy = new Agent({ keepAlive: true })
  return {
    requestProxy: request,
    requestServer: https.request,
    ...{ host, port, authorization, toProxy, tunnels },
  }
}

async function sendThrough(route: ProxyRoute, request: Request): Promise<Response> {
  const { method, signal } = request
  const url = new URL(request.url)
  const body = new Uint8Array(await request.arrayBuffer())
  const headers = {
    ...Object.fromEntries(request.headers),
    ...(method !== 'GET' && { 'content-length': String(body.length) }),
  }
  const sending =
    url.protocol === 'https:'
      ? route.requestServer({
          ...{ method, signal, headers, agent: route.tunnels, tunnelSignal: signal },
          host: withoutBrackets(url.hostname),
          port: Number(url.port) || 443,
          path: url.pathname + url.search,
        })
      : route.requestProxy({
          ...{ method, signal, agent: route.toProxy, host: route.host, port: route.port },
          headers: { ...headers, host: url.host, ...route.authorization },
          path: url.href,
        })
  return new Promise((resolve, reject) => {
    sending.on('error', (error) => reject(signal.aborted ? signal.reason : error))
    sending.on('response', (response) => {
      try {
        resolve(toResponse(response))
      } catch (error) {
        reject(error)
      }
    })
    sending.end(body.length > 0 ? body : undefined)
  })
}

function toResponse(incoming: NodeResponse): Response {
  const { statusCode: status, statusMessage: statusText, rawHeaders } = incoming
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  }
  const chunks = incoming[Symbol.asyncIterator]()
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: () => incoming.destroy(),
    },
    { highWaterMark: 0 },
  )
  const hasBody = status !== 204 && status !== 205 && status !== 304
  if (!hasBody) incoming.destroy()
  return new Response(hasBody ? body : null, { status, statusText, headers })
}

/** Reads `%40` as its byte, and a `%` without two digits as itself, as curl does. */
const decodeBytes = (text: string) =>
  text.replaceAll(/%([0-9a-f]{2})/gi, (_, digits) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
