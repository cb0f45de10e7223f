export class App {
  async run({ text, repeat }) {
    return { text: text.repeat(repeat) }
  }
}
