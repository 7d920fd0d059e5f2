export function MyWork() {
  return <main className="paper" id="work" />
}
