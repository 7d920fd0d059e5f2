export function TaskPage() {
  return <main className="paper" id="work" />
}
