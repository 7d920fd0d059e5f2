export function Forgot() {
  return <main className="paper" id="work" />
}
