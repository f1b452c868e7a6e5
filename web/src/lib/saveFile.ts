/** Lets the browser download an address as a file of this name, unless the server gives it another. */
export function saveFile(address: string, name: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}
