import type { Commit } from './git.ts'
import { toSingleLine } from './text.ts'

/** Tag colors by conventional commit type. Any other word before a colon is not a type. */
export const COMMIT_TYPE_COLORS: Record<string, string> = {
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

const MAX_NAME_LENGTH = 50
const MAX_TAGS = 50

/** The tag names for a commit: its type, then the top-level folders that it changes, as `lib/`. */
export function createTagNames({ subject, paths }: Commit): string[] {
  const [, type = ''] = /^([a-z]+)(?:\([^)]*\))?!?:/i.exec(subject) ?? []
  const types = Object.hasOwn(COMMIT_TYPE_COLORS, type.toLowerCase()) ? [type.toLowerCase()] : []
  const folders = new Set(
    paths.filter((path) => path.includes('/')).map((path) => path.slice(0, path.indexOf('/'))),
  )
  const names = [...folders].map((folder) => `${toSingleLine(folder, MAX_NAME_LENGTH - 1)}/`)
  return [...types, ...names].slice(0, MAX_TAGS)
}
