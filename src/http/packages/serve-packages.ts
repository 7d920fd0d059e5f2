import type { FastifyInstance } from 'fastify'
import { codeBlock, docsPage, html, pageSection, proseBlock } from '../api-reference/html/html.ts'
import type { AppContext } from '../app-context.ts'
import type { RequestHandler } from '../pipeline/request-handler.ts'
import { parseIfNoneMatch } from '../reply/conditional-requests.ts'
import { sendIfModified, sendReply } from '../reply/send.ts'
import { documentHeaders, RESOURCE_HEADERS } from '../web-app/serve-web-app.ts'
import type { PackageFile } from './package-files.ts'

const PAGE_PATH = '/docs/packages'
const FILE_PATH = `${PAGE_PATH}/:file`

/** Paths of the packages, and of the page that lists them. */
export const PACKAGE_PATHS: readonly string[] = [PAGE_PATH, `${PAGE_PATH}/`, FILE_PATH]

/**
 * Offers the packages of this release as files: none of their names is in a registry, where anybody could
 * take it.
 */
export function servePackages(
  server: FastifyInstance,
  { pages: { packages }, baseUrl }: AppContext,
  replyMissing: RequestHandler,
): void {
  const page = packagesPage(packages, baseUrl)
  const pageHeaders = { ...documentHeaders(), 'cache-control': 'no-cache' }
  for (const path of [PAGE_PATH, `${PAGE_PATH}/`]) {
    server.get(path, (request, reply) =>
      sendReply(request, reply, { status: 200, body: page, headers: pageHeaders }),
    )
  }
  const replies = new Map(
    packages.map(({ file, sha256, body }) => {
      const headers = {
        ...RESOURCE_HEADERS,
        etag: `"${sha256.slice(0, 22)}"`,
        'content-type': 'application/gzip',
        // In a clone, other bytes may have the same name tomorrow.
        'cache-control': 'no-cache',
      }
      return [file, { status: 200, body, headers, precompressed: {} }]
    }),
  )
  server.get(FILE_PATH, (request, reply) => {
    const file = request.raw.url?.split('?', 1)[0]?.slice(PAGE_PATH.length + 1) ?? ''
    const outgoing = replies.get(file)
    if (!outgoing) return replyMissing(request, reply)
    const knownTags = parseIfNoneMatch(request.headers['if-none-match'])
    return sendIfModified(request, reply, outgoing, knownTags)
  })
}

/** How each package is installed, with the address of its file. */
const INSTALL_COMMANDS: Readonly<Record<string, (url: string) => string>> = {
  'docket-client': (url) => `npm install ${url}`,
  'docket-cli': (url) => `npm install --global ${url}`,
  'docket-conformance': (url) => `npx ${url}`,
}

/** The page at `/docs/packages`. */
export function packagesPage(packages: readonly PackageFile[], baseUrl: string): string {
  return docsPage({
    title: 'Packages – Docket docs',
    heading: 'Packages',
    gutter: packages.length,
    summary: html`The npm packages of this release. They are in no registry: install them from this address, or from a file that you keep.`,
    groups: [
      {
        title: 'On this page',
        links: packages.map(({ name }) => ({ href: `#${name}`, text: name })),
      },
      {
        title: 'Guides',
        links: [
          { href: '/docs/guides/clients', text: 'Clients in your language' },
          { href: '/docs/guides/command-line', text: 'Command line' },
        ],
      },
    ],
    content: html`
${packages.length === 0 && pageSection({ id: 'none', heading: html`<h2>Not built</h2>`, text: proseBlock(html`<p><code>npm start</code> builds the packages before it serves.</p>`) })}
${packages.map(({ name, description, file, bytes, sha256, integrity }) => {
  const url = `${baseUrl}${PAGE_PATH}/${file}`
  const install = INSTALL_COMMANDS[name]?.(url)
  return pageSection({
    id: name,
    heading: html`<h2><a href="#${name}">${name}</a></h2>`,
    text: proseBlock(html`<p>${description}</p>
<p><a href="${PAGE_PATH}/${file}">${file}</a>, ${Math.ceil(bytes / 1000)} kB</p>
<p>SHA-256: <code>${sha256}</code></p>
<p>Integrity: <code>${integrity}</code></p>`),
    aside: codeBlock(install ?? url, 'Install'),
  })
})}`,
  })
}
