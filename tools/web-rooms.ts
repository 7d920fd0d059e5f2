import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Who may lean on whom in the web app: lib ◂ messages ◂ data ◂ ui ◂ features. Data knows no screen, and
 * the parts of ui know the data of no noun; only what floats or waits is told by them.
 */
const MAY: Record<string, (string | RegExp)[]> = {
  lib: ['messages', 'mdast', 'react'],
  messages: ['lib'],
  data: ['lib', 'messages', 'react', '@tanstack/react-query'],
  ui: ['lib', 'messages', 'mdast', 'styles', 'react', /^data\/toasts\.ts$/],
  features: [
    ...['lib', 'messages', 'data', 'ui', 'features', 'styles', 'react', 'react-dom'],
    ...['@tanstack/react-query', '@tanstack/react-router'],
  ],
  // What puts it all together.
  '': [/^(?!\w+:|@internationalized)/],
}

/** Packages that the first screen must not wait for, and where they are loaded from when wanted. */
const LATER: [packages: RegExp, only: RegExp][] = [
  [/^(react-aria-components|react-aria|@internationalized\/date)/, /^ui\/lazy\//],
  [/^(mdast-util-|micromark-)/, /^ui\/(lazy|markdown)/],
]

/** From the server: types of what travels; as values only what costs next to nothing. */
const TYPES = /^#(wire|resources|accounts|consent)\/.*|^typebox$/
const CONTRACT = /^#wire\/|\/(contract|internal|fields)\.ts$|^typebox$/
const VALUES = /^#(wire\/(?:scopes|events)\.ts|lib\/[\w-]+\.ts)$/

/** What is wrong in web/src, a line each. */
export function webMistakes(): string[] {
  return globSync('web/src/**/*.{ts,tsx}').flatMap((file) => {
    if (/\.test\.tsx?$/.test(file)) return []
    const path = file.slice('web/src/'.length)
    return importsOf(file).flatMap((one) => {
      const { wanted } = one
      const complaint = complaintAbout(path, one)
      return complaint ? [`${file}: ${wanted}: ${complaint}`] : []
    })
  })
}

/** One import: of types alone, or only when it is wanted. */
interface Import {
  wanted: string
  type: boolean
  late: boolean
}

function complaintAbout(path: string, { wanted, type, late }: Import): string | undefined {
  const later = LATER.find(([packages]) => packages.test(wanted))
  if (later) {
    if (type || later[1].test(path)) return
    return 'the first screen would wait for it: import() a file that uses it, in ui/lazy'
  }
  if (wanted.startsWith('#') || wanted === 'typebox') {
    if (VALUES.test(wanted)) return
    if (!TYPES.test(wanted) || !CONTRACT.test(wanted)) return 'a browser knows contracts alone'
    return type ? undefined : 'a schema would cost kilobytes: import type'
  }
  if (wanted.startsWith('node:')) return 'this runs in a browser'
  const target = wanted.startsWith('.') ? join(dirname(path), wanted) : wanted
  if (target.startsWith('ui/lazy/') && !path.startsWith('ui/lazy/') && !type && !late) {
    return 'the first screen would wait for it: import() it'
  }
  if (target.startsWith('..')) return 'a relative import stays in web/src; use #room/…'
  const room = roomOf(path)
  const allowed = MAY[room] ?? []
  if (room !== '' && roomOf(target) === room) return
  const may = allowed.some((one) =>
    typeof one === 'string' ? target === one || target.startsWith(`${one}/`) : one.test(target),
  )
  return may ? undefined : `${room} may not use ${target}`
}

/** The folder at the top; none for what lies beside the folders. */
const roomOf = (path: string) => (path.includes('/') ? (path.split('/')[0] ?? '') : '')

function importsOf(file: string): Import[] {
  const found = readFileSync(file, 'utf8').matchAll(IMPORT)
  return [...found].map(([, type, wanted, later = '']) => {
    return { wanted: wanted ?? later, type: type !== undefined, late: wanted === undefined }
  })
}

const IMPORT = /^(?:import|export)( type)?(?: [^'"=;]*? from)? '([^']+)'|\bimport\('([^']+)'\)/gm
