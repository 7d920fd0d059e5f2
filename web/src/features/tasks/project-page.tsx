export function ProjectPage() {
  return <main className="paper" id="work" />
}
