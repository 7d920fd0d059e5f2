import type { Commit } from './git.ts'
import { line } from './text.ts'

/** Colours of the types of conventional commits; another word before a colon is no type. */
export const TYPES: Record<string, string> = {
  feat: '#22c55e',
  fix: '#ef4444',
  perf: '#f59e0b',
  refactor: '#8b5cf6',
  docs: '#3b82f6',
  test: '#14b8a6',
  build: '#78716c',
  ci: '#78716c',
  chore: '#6b7280',
  style: '#ec4899',
  revert: '#dc2626',
  deps: '#78716c',
}

const LONGEST = 50
const MOST = 50

/** Names of tags for a commit: its type, then the top-level folders that it touches, as `lib/`. */
export function labelsOf({ subject, paths }: Commit): string[] {
  const [, type = ''] = /^([a-z]+)(?:\([^)]*\))?!?:/i.exec(subject) ?? []
  const types = Object.hasOwn(TYPES, type.toLowerCase()) ? [type.toLowerCase()] : []
  const folders = new Set(
    paths.filter((path) => path.includes('/')).map((path) => path.slice(0, path.indexOf('/'))),
  )
  const names = [...folders].map((folder) => `${line(folder, LONGEST - 1)}/`)
  return [...types, ...names].slice(0, MOST)
}
