#include "tinyxml2.h"

#include <cstdlib>

// Write a document, and read it.
extern "C" void program(int times) {
  using namespace tinyxml2;
  for (int t = 0; t < times; t++) {
    XMLDocument made, read;
    XMLElement *root = made.NewElement("all");
    made.InsertEndChild(root);
    for (int i = 0; i < 8000; i++) {
      XMLElement *one = root->InsertNewChildElement("one");
      one->SetAttribute("number", i);
      one->InsertNewChildElement("name")->SetText("a <name> & more");
    }
    XMLPrinter printer;
    made.Print(&printer);
    if (read.Parse(printer.CStr()) != XML_SUCCESS) std::abort();
  }
}
