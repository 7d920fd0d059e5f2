export function Setup() {
  return <main className="paper" id="work" />
}
