export function Settings() {
  return <main className="paper" id="work" />
}
