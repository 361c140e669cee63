export function ImportScreen() {
  return <h1>Import deals</h1>
}
