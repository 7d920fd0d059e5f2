import { createElement } from './request-dom.js'
import { fetchReply } from './request-fetch.js'

/** Headers that say something about the request; the others are about the connection. */
const SHOWN_HEADERS = [
  ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After'],
  ...['ETag', 'Location', 'X-Request-Id', 'X-Operation-Id', 'Idempotency-Replayed'],
  ...['Content-Type', 'Content-Length', 'Content-Range'],
]

/** Sends a request and measures the time until its reply has arrived. */
export async function sendRequest({ method, url, headers, body }) {
  const start = performance.now()
  const response = await fetchReply(url, { method, headers, body })
  const type = response.headers.get('content-type') ?? ''
  // Files are saved, not shown, so they are not read here.
  const isFile = response.headers.has('content-disposition')
  const text = isFile ? '' : await response.text()
  if (isFile) await response.body?.cancel()
  const ms = Math.round(performance.now() - start)
  return { response, ms, text, isFile, json: parseJson(type, text) }
}

/** What a reply is called in one line, for a status that is announced. */
export function describeReply({ response: { status, statusText }, ms }, dryRun) {
  const line = [`${status} ${statusText}`.trim(), `${ms} ms`]
  return (dryRun ? [...line, 'dry run: nothing was changed'] : line).join(' · ')
}

/** Shows an error in words, the headers, and the body as text or as a link to the file. */
export function replyNodes({ response, text, isFile, json }) {
  const headers = SHOWN_HEADERS.filter((name) => response.headers.has(name))
  return [
    // A delivery has a field `error`, too.
    ...(!response.ok && json?.error ? [errorNode(json.error)] : []),
    createElement(
      'dl',
      { className: 'headers' },
      ...headers.flatMap((name) => [
        createElement('dt', {}, name),
        createElement('dd', {}, withMeaning(name, response.headers.get(name))),
      ]),
    ),
    isFile ? downloadLink(response) : bodyNode(json, text),
  ]
}

function parseJson(type, text) {
  if (!/^application\/([\w.]+\+)?json\b/.test(type) || text === '') return undefined
  return JSON.parse(text)
}

function errorNode({ code, message, details = [] }) {
  const link = createElement('a', { href: `/docs/errors#${code}` }, code)
  const items = details.map((detail) => createElement('li', {}, ...withCode(detail.message)))
  return createElement(
    'div',
    { className: 'problem' },
    createElement('p', {}, ...withCode(message), ' ', link),
    // The message of a single field is the message of the error.
    ...(items.length > 1 ? [createElement('ul', {}, ...items)] : []),
  )
}

/** Messages mark code by backticks. */
const withCode = (text) =>
  text.split('`').map((part, at) => (at % 2 ? createElement('code', {}, part) : part))

/** The reset of the rate limit is a Unix time, which nobody can read. */
function withMeaning(name, value) {
  if (name !== 'X-RateLimit-Reset') return value
  return `${value} (${new Date(Number(value) * 1_000).toLocaleTimeString()})`
}

function downloadLink({ url, headers }) {
  const [, name = ''] = /filename\*=UTF-8''([^;]+)/.exec(headers.get('content-disposition')) ?? []
  const label = `Download ${decodeURIComponent(name)}`.trim()
  return createElement('p', {}, createElement('a', { href: url, download: '' }, label))
}

function bodyNode(json, text) {
  if (text === '') return createElement('p', { className: 'none' }, 'No body.')
  const shown = json === undefined ? text : JSON.stringify(json, undefined, 2)
  // Long replies scroll, which needs the focus of a keyboard.
  const pre = createElement('pre', {
    tabIndex: 0,
    role: 'region',
    'aria-label': 'Body of the reply',
  })
  pre.append(createElement('code', {}, shown))
  return pre
}
