export function Search() {
  return <main className="paper" id="work" />
}
