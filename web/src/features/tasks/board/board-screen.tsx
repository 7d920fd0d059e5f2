export function BoardScreen(_: object) {
  return null
}
