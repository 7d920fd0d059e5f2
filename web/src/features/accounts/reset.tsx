export function Reset() {
  return <main className="paper" id="work" />
}
