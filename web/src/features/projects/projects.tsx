export function Projects() {
  return <main className="paper" id="work" />
}
