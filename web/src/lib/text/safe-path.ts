import { parseUrl } from './parse-url.ts'

/** A path on this origin to continue at after signing in; `/start` for anything else. */
export function toSafePath(path: string): string {
  const isPlainPath = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e\u00a0-\uffff]*$/u.test(path)
  return isPlainPath && parseUrl(path, 'http://a.invalid')?.origin === 'http://a.invalid'
    ? path
    : '/start'
}
