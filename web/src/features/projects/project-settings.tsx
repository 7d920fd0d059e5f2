export function ProjectSettings() {
  return <main className="paper" id="work" />
}
